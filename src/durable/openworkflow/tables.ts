import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';

import {
  type Append,
  type Board,
  type PersistedRun,
  type PersistedRunFilter,
  type PersistedStep,
  type Program,
  TakenOver,
  unencrypted,
} from '../journal.js';
import type { Ledger } from '../ledger.js';
import type { StepStore } from '../stored-steps.js';
import { pack, unpack } from '../packed.js';

/** The labels of a run's call. */
export interface RunLabels {
  readonly resourceId: string | null;
  readonly priority: number;
}

/** The data of a program's runs that OpenWorkflow does not store, in the same file. */
export const runTables = (db: DatabaseSync, program: string) => {
  const find = db.prepare('SELECT workflow_run_id AS id FROM interlock_runs WHERE program = ? AND run_id = ?');
  const reserve = db.prepare('INSERT OR IGNORE INTO interlock_runs VALUES (?, ?, NULL, ?, ?)');
  const setRun = db.prepare(
    'UPDATE interlock_runs SET workflow_run_id = ?, resource_id = ?, priority = ? WHERE program = ? AND run_id = ?',
  );
  const survive = db.prepare('UPDATE interlock_lives SET deaths = deaths - 1 WHERE program = ? AND run_id = ?');
  const deaths = db.prepare('SELECT deaths FROM interlock_lives WHERE program = ? AND run_id = ?');
  const cancel = db.prepare('INSERT OR IGNORE INTO interlock_cancels VALUES (?, ?)');
  const canceled = db.prepare('SELECT 1 FROM interlock_cancels WHERE program = ? AND run_id = ?');
  const live = db.prepare(`
    INSERT INTO interlock_lives VALUES (?, ?, ?, 0)
    ON CONFLICT DO UPDATE SET deaths = iif(steps = excluded.steps, deaths + 1, 0), steps = excluded.steps
    RETURNING deaths`);
  const clear = (runId: string, ...tables: readonly string[]): void => {
    for (const table of tables) db.prepare(`DELETE FROM ${table} WHERE program = ? AND run_id = ?`).run(program, runId);
  };
  return {
    /** Reserves an id for a run, unless it is taken. */
    reserve: (runId: string, { resourceId, priority }: RunLabels) => void reserve.run(program, runId, resourceId, priority),
    /** The id of a run in OpenWorkflow. */
    workflowRunOf: (runId: string) => textIn(find.get(program, runId)?.['id']),
    /** Labels a run as the call that started it: another one may have reserved the id. */
    setWorkflowRun: (runId: string, workflowRunId: string, { resourceId, priority }: RunLabels) =>
      void setRun.run(workflowRunId, resourceId, priority, program, runId),
    requestCancel: (runId: string) => void cancel.run(program, runId),
    isCancelRequested: (runId: string) => canceled.get(program, runId) !== undefined,
    /** The number of processes that died at the last place of a run. */
    deathsOf: (runId: string) => Number(deaths.get(program, runId)?.['deaths'] ?? 0),
    ledgerOf: (runId: string): Pick<Ledger, 'countStart' | 'uncountStart'> => ({
      countStart: async (steps) => Number(live.get(program, runId, steps)?.['deaths']),
      uncountStart: async () => void survive.run(program, runId),
    }),
    list: (filter: PersistedRunFilter) => listRuns(db, program, filter),
    storedBytes: () =>
      Number(db.prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size').get()?.['bytes']),
    /** Makes a run that was given up available again; returns whether there was one. */
    retry: (runId: string): boolean => {
      const { changes } = db
        .prepare(
          `UPDATE workflow_runs SET status = 'pending', available_at = :now, updated_at = :now, finished_at = NULL, error = NULL
           WHERE status IN ('failed', 'canceled')
             AND id = (SELECT workflow_run_id FROM interlock_runs WHERE program = :program AND run_id = :runId)`,
        )
        .run({ now: new Date().toISOString(), program, runId });
      if (changes > 0) clear(runId, 'interlock_lives', 'interlock_cancels');
      return changes > 0;
    },
    /** Deletes all data of a run. */
    drop: (runId: string) => {
      const id = find.get(program, runId)?.['id'] ?? '';
      inTransaction(db, () => {
        clear(runId, 'interlock_runs', 'interlock_cancels', 'interlock_lives');
        for (const table of ['interlock_steps', 'step_attempts'])
          db.prepare(`DELETE FROM ${table} WHERE workflow_run_id = ?`).run(id);
        db.prepare('DELETE FROM workflow_runs WHERE id = ?').run(id);
      });
    },
  };
};

/** The runs of a program in the file, latest first. OpenWorkflow creates its table after ours. */
const textIn = (value: SQLOutputValue | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

const listRuns = (db: DatabaseSync, program: string, filter: PersistedRunFilter): readonly PersistedRun[] => {
  const { runId = null, resourceId = null, endedBefore, limit = -1 } = filter;
  return db
    .prepare(
      `SELECT run_id, resource_id, created_at, finished_at,
         iif(status = 'running' AND NOT EXISTS (SELECT 1 FROM interlock_steps s WHERE s.workflow_run_id = id), 'pending', status) AS status
       FROM interlock_runs JOIN workflow_runs ON id = workflow_run_id
       WHERE program = :program AND (:runId IS NULL OR run_id = :runId) AND (:resourceId IS NULL OR resource_id = :resourceId)
         AND (:endedBefore IS NULL OR finished_at < :endedBefore)
       ORDER BY created_at DESC LIMIT :limit`,
    )
    .all({ program, runId, resourceId, endedBefore: endedBefore?.toISOString() ?? null, limit })
    .map(toPersistedRun);
};

const toPersistedRun = (row: Record<string, SQLOutputValue>): PersistedRun => ({
  runId: String(row['run_id']),
  state: states[String(row['status'])] ?? 'running',
  resourceId: textIn(row['resource_id']),
  startedAt: new Date(String(row['created_at'])),
  endedAt: row['finished_at'] === null ? undefined : new Date(String(row['finished_at'])),
});

/** Run states by OpenWorkflow status. */
const states: Readonly<Record<string, PersistedRun['state']>> = {
  pending: 'queued',
  running: 'running',
  sleeping: 'running',
  completed: 'ended',
  succeeded: 'ended',
  failed: 'lost',
  canceled: 'lost',
};

/** The records of a program's runs, in the SQLite file of its runs. Each process of the machine can read them without a server. */
export const boardOn = (db: DatabaseSync, program: string): Board => {
  const marked = db.prepare(
    'SELECT place, entry FROM interlock_board WHERE program = ? AND run_id = ? AND mark = ? ORDER BY place',
  );
  const read = db.prepare('SELECT entry FROM interlock_board WHERE program = ? AND run_id = ? AND place >= ? ORDER BY place');
  const drop = db.prepare('DELETE FROM interlock_board WHERE program = ? AND run_id = ?');
  const put = db.prepare('INSERT OR REPLACE INTO interlock_notes VALUES (?, ?, ?, ?)');
  const take = db.prepare('DELETE FROM interlock_notes WHERE program = ? AND run_id = ?');
  const notes = db.prepare('SELECT run_id, note FROM interlock_notes WHERE program = ? ORDER BY pinned_at DESC');
  return {
    read: async (runId, from) =>
      read.all(program, runId, from).map(({ entry }, index) => unpack(entry, `${runId} entry ${from + index}`)),
    marked: async (runId, wanted) =>
      marked
        .all(program, runId, wanted)
        .map(({ place, entry }) => ({ place: Number(place), text: unpack(entry, `${runId} entry ${Number(place)}`) })),
    pin: async (runId, note) => void (note === undefined ? take.run(program, runId) : put.run(program, runId, Date.now(), note)),
    drop: async (runId) => void drop.run(program, runId),
    pinned: async () => notes.all(program).map(({ run_id: runId, note }) => ({ runId: String(runId), note: String(note) })),
  };
};

/** Remembers that a program's runs are encrypted. Raises `durable/unreadable` for the same program without encryption. */
export const checkEncryption = (db: DatabaseSync, program: Program): void => {
  if (program.isEncrypted) db.prepare('INSERT OR IGNORE INTO interlock_encrypted VALUES (?)').run(program.id);
  else if (db.prepare('SELECT 1 FROM interlock_encrypted WHERE program = ?').get(program.id)) throw unencrypted(program);
};

/** Runs `act` in a transaction: all of its changes are stored, or none. */
const inTransaction = <T>(db: DatabaseSync, act: () => T): T => {
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

/** The lease of a run, as the worker sees it that runs it. */
export interface RunLease {
  readonly workflowRunId: string;
  readonly workerId: string;
}

/** Writes a program's runs in transactions on a connection. Only the worker that holds a run can write to it. */
export const runWriter = (db: DatabaseSync, program: string) => {
  const isHeld = "SELECT 1 FROM workflow_runs WHERE id = ? AND worker_id = ? AND status = 'running'";
  const held = db.prepare(isHeld);
  const keep = db.prepare(`INSERT INTO interlock_steps SELECT ?, ?, ? WHERE EXISTS (${isHeld})`);
  const next = db.prepare('SELECT coalesce(max(place) + 1, 0) AS place FROM interlock_board WHERE program = ? AND run_id = ?');
  const add = db.prepare('INSERT OR IGNORE INTO interlock_board VALUES (?, ?, ?, ?, ?)');
  const addAll = ({ runId, at, entries }: Append): number => {
    const first = at ?? Number(next.get(program, runId)?.['place']);
    for (const [index, { text, mark = null }] of entries.entries()) add.run(program, runId, first + index, pack(text), mark);
    return first;
  };
  const check = ({ workflowRunId, workerId }: RunLease): void => {
    if (!held.get(workflowRunId, workerId)) throw new TakenOver();
  };
  const keepStep = ({ workflowRunId, workerId }: RunLease, { key, text }: PersistedStep): void => {
    if (keep.run(workflowRunId, key, pack(text), workflowRunId, workerId).changes === 0) throw new TakenOver();
  };
  return {
    check,
    write: (lease: RunLease, { step, append }: Parameters<StepStore['write']>[0]): number => {
      if (step && !append) keepStep(lease, step); // one statement needs no transaction around it
      if (!append) return -1;
      return inTransaction(db, () => {
        if (step) keepStep(lease, step);
        else check(lease);
        return addAll(append);
      });
    },
  };
};

/** Step results of runs, in the order in which they were stored. OpenWorkflow's own table ends a run at 1,000 steps. */
export const persistedSteps = (db: DatabaseSync) => {
  const all = db.prepare('SELECT key, text FROM interlock_steps WHERE workflow_run_id = ? ORDER BY rowid');
  return (workflowRunId: string): readonly PersistedStep[] =>
    all.all(workflowRunId).map(({ key, text }) => ({
      key: String(key),
      get text() {
        return unpack(text, String(key)); // when it is read: all of them at once would take several times the memory
      },
    }));
};
