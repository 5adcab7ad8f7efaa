import type { BackendSqlite } from 'openworkflow/sqlite';
import { TakenOver, type PersistedStep } from '../journal.js';
import { databaseOf } from './leased.js';

/** Step results of a program's runs. OpenWorkflow's own table ends a run at 1,000 steps, and is read whole whenever a run is adopted. */
export interface PersistedSteps {
  find(workflowRunId: string, key: string): string | undefined;
  /** Stores the result of a step. Raises `TakenOver` if the worker no longer holds the run. */
  keep(step: LeasedStep): void;
  count(workflowRunId: string): number;
  /** All step results, in the order in which they were stored. */
  all(workflowRunId: string): readonly PersistedStep[];
}

interface LeasedStep {
  readonly workflowRunId: string;
  readonly workerId: string;
  readonly key: string;
  readonly text: string;
}

/** Uses OpenWorkflow's own connection, which syncs each commit to disk. */
export const persistedSteps = (backend: BackendSqlite): PersistedSteps => {
  const db = databaseOf(backend);
  const find = db.prepare('SELECT text FROM interlock_steps WHERE workflow_run_id = ? AND key = ?');
  // Until version 1, steps were OpenWorkflow's own.
  const findOld = db.prepare(
    "SELECT output FROM step_attempts WHERE workflow_run_id = ? AND step_name = ? AND status IN ('completed', 'succeeded')",
  );
  const keep = db.prepare(`
    INSERT INTO interlock_steps SELECT id, ?, ? FROM workflow_runs WHERE id = ? AND worker_id = ? AND status = 'running'`);
  const count = db.prepare('SELECT count(*) AS steps FROM interlock_steps WHERE workflow_run_id = ?');
  const all = db.prepare('SELECT key, text FROM interlock_steps WHERE workflow_run_id = ? ORDER BY rowid');
  return {
    all: (workflowRunId) => all.all(workflowRunId).map(({ key, text }) => ({ key: String(key), text: String(text) })),
    find: (workflowRunId, key) => {
      const row = find.get(workflowRunId, key);
      if (row) return String(row['text']);
      const old = findOld.get(workflowRunId, key);
      return old && (JSON.parse(String(old['output'])) as string); // step results are text
    },
    keep: ({ workflowRunId, workerId, key, text }) => {
      if (keep.run(key, text, workflowRunId, workerId).changes === 0) throw new TakenOver();
    },
    count: (workflowRunId) => Number(count.get(workflowRunId)?.['steps'] ?? 0),
  };
};
