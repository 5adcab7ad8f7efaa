import type { DatabaseSync } from 'node:sqlite';
import type { BackendSqlite } from 'openworkflow/sqlite';

import { type Board, type PersistedStep, TakenOver } from '../journal.js';
import { databaseOf } from './leased.js';

/** Messages between processes about runs, in the file of the journals. */
export const boardTables = `
  CREATE TABLE IF NOT EXISTS interlock_board (
    program TEXT NOT NULL, run_id TEXT NOT NULL, place INTEGER NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (program, run_id, place)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS interlock_marks (
    program TEXT NOT NULL, run_id TEXT NOT NULL, mark TEXT NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (program, run_id, mark, place)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS interlock_notes (
    program TEXT NOT NULL, run_id TEXT NOT NULL, pinned_at INTEGER NOT NULL, note TEXT NOT NULL, PRIMARY KEY (program, run_id)
  ) WITHOUT ROWID;
`;

/**
 * The board of a program, in the SQLite file of its runs. Each process of the machine can read it without a server. An entry is
 * one row in the write-ahead log; the next stored step syncs it to disk.
 */
export const boardOn = (db: DatabaseSync, program: string): Board => {
  const next = db.prepare('SELECT coalesce(max(place) + 1, 0) AS place FROM interlock_board WHERE program = ? AND run_id = ?');
  const add = db.prepare('INSERT INTO interlock_board VALUES (?, ?, ?, ?)');
  const mark = db.prepare('INSERT INTO interlock_marks VALUES (?, ?, ?, ?)');
  const later = db.prepare("SELECT 1 FROM interlock_marks WHERE program = ? AND run_id = ? AND mark = 'life' AND place > ?");
  const marked = db.prepare(`
    SELECT place, entry FROM interlock_marks JOIN interlock_board USING (program, run_id, place)
    WHERE program = ? AND run_id = ? AND mark = ? ORDER BY place`);
  const read = db.prepare('SELECT entry FROM interlock_board WHERE program = ? AND run_id = ? AND place >= ? ORDER BY place');
  const drop = db.prepare('DELETE FROM interlock_board WHERE program = ? AND run_id = ?');
  const dropMarks = db.prepare('DELETE FROM interlock_marks WHERE program = ? AND run_id = ?');
  const put = db.prepare('INSERT OR REPLACE INTO interlock_notes VALUES (?, ?, ?, ?)');
  const take = db.prepare('DELETE FROM interlock_notes WHERE program = ? AND run_id = ?');
  const notes = db.prepare('SELECT run_id, note FROM interlock_notes WHERE program = ? ORDER BY pinned_at DESC');
  return {
    append: async (runId, entries, life) =>
      inTransaction(db, () => {
        if (life !== undefined && later.get(program, runId, life)) throw new TakenOver();
        const first = Number(next.get(program, runId)?.['place']);
        for (const [index, { text, mark: its }] of entries.entries()) {
          add.run(program, runId, first + index, text);
          if (its) mark.run(program, runId, its, first + index);
        }
        return first;
      }),
    read: async (runId, from) => read.all(program, runId, from).map(({ entry }) => entry as string),
    marked: async (runId, wanted) =>
      marked.all(program, runId, wanted).map(({ place, entry }) => ({ place: Number(place), text: String(entry) })),
    pin: async (runId, note) => void (note === undefined ? take.run(program, runId) : put.run(program, runId, Date.now(), note)),
    drop: async (runId) => {
      drop.run(program, runId);
      dropMarks.run(program, runId);
    },
    pinned: async () => notes.all(program).map(({ run_id: runId, note }) => ({ runId: runId as string, note: note as string })),
  };
};

/** Runs `act` in a transaction: all of its changes are stored, or none. */
export const inTransaction = <T>(db: DatabaseSync, act: () => T): T => {
  db.exec('BEGIN IMMEDIATE');
  try {
    const done = act();
    db.exec('COMMIT');
    return done;
  } catch (error) {
    try {
      db.exec('ROLLBACK');
    } catch {
      // SQLite has ended the transaction itself, as it does when the disk is full.
    }
    throw error;
  }
};

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
