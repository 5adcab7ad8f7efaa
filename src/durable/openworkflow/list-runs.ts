import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { KeptRun, KeptRunFilter } from '../journal.js';

/** The runs of a program in the file, the last one first. OpenWorkflow makes its table after ours. */
export const listRuns = (db: DatabaseSync, program: string, filter: KeptRunFilter): readonly KeptRun[] => {
  const { runId = null, resourceId = null, endedBefore, limit = -1 } = filter;
  return db
    .prepare(
      `SELECT run_id, resource_id, status, created_at, finished_at FROM interlock_runs JOIN workflow_runs ON id = workflow_run_id
       WHERE program = ?1 AND (?2 IS NULL OR run_id = ?2) AND (?3 IS NULL OR resource_id = ?3) AND (?4 IS NULL OR finished_at < ?4)
       ORDER BY created_at DESC LIMIT ?5`,
    )
    .all(program, runId, resourceId, endedBefore?.toISOString() ?? null, limit)
    .map(toKept);
};

const toKept = (row: Record<string, SQLOutputValue>): KeptRun => ({
  runId: String(row['run_id']),
  state: states[String(row['status'])] ?? 'running',
  resourceId: row['resource_id'] === null ? undefined : String(row['resource_id']),
  startedAt: new Date(String(row['created_at'])),
  endedAt: row['finished_at'] === null ? undefined : new Date(String(row['finished_at'])),
});

/** By OpenWorkflow's statuses. */
const states: Readonly<Record<string, KeptRun['state']>> = {
  pending: 'queued',
  running: 'running',
  sleeping: 'running',
  completed: 'ended',
  succeeded: 'ended',
  failed: 'lost',
  canceled: 'lost',
};
