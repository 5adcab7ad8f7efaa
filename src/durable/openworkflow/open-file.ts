import { randomUUID } from 'node:crypto';
import { constants, copyFileSync, existsSync, linkSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import type { Board, PersistedRun, PersistedRunFilter } from '../journal.js';
import { InterlockError, isInterlockError } from '../../errors.js';
import { fileError } from './leased.js';
import { boardOn, boardTables, inTransaction } from './tables.js';

/** Milliseconds that a process waits for another one that is writing. */
export const patienceMs = 5_000;

/** The labels of a run's call, as stored. */
export interface RunLabels {
  readonly resourceId: string | null;
  readonly priority: number;
}

interface LabeledRun {
  readonly runId: string;
  readonly labels?: RunLabels | undefined;
}

/** The data of runs that OpenWorkflow does not store, in the same file. */
export interface OpenFile {
  /** Reserves an id for a run, unless it is taken. */
  reserve(program: string, run: LabeledRun): void;
  /** The id of a run in OpenWorkflow. */
  workflowRunOf(program: string, runId: string): string | undefined;
  /** Labels a run as the call that started it: another one may have reserved the id. */
  setWorkflowRun(program: string, run: LabeledRun & { readonly workflowRunId: string }): void;
  /** Requests the cancellation of a run. */
  requestCancel(program: string, runId: string): void;
  isCancelRequested(program: string, runId: string): boolean;
  /** Records that a process continues a run after `steps` stored steps; returns the number of processes that died there. */
  countStart(program: string, runId: string, steps: number): number;
  /** The number of processes that died at the last place of a run. */
  deathsOf(program: string, runId: string): number;
  /** Records that the run did not kill the process: it was interrupted. */
  uncountStart(program: string, runId: string): void;
  list(program: string, filter: PersistedRunFilter): readonly PersistedRun[];
  storedBytes(): number;
  /** Makes a run that was given up available again; returns whether there was one. */
  retry(program: string, runId: string): boolean;
  /** Deletes all data of a run. */
  drop(program: string, runId: string): void;
  /** Messages between processes about a program's runs. */
  board(program: string): Board;
  close(): void;
}

const tables = `
  CREATE TABLE IF NOT EXISTS interlock_runs (
    program TEXT NOT NULL, run_id TEXT NOT NULL, workflow_run_id TEXT, resource_id TEXT, priority REAL NOT NULL DEFAULT 0,
    PRIMARY KEY (program, run_id)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS interlock_cancels (
    program TEXT NOT NULL, run_id TEXT NOT NULL, PRIMARY KEY (program, run_id)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS interlock_lives (
    program TEXT NOT NULL, run_id TEXT NOT NULL, steps INTEGER NOT NULL, deaths INTEGER NOT NULL, PRIMARY KEY (program, run_id)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS interlock_steps (
    workflow_run_id TEXT NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (workflow_run_id, key)
  );
  CREATE TABLE IF NOT EXISTS interlock_probe (one INTEGER PRIMARY KEY, looks INTEGER NOT NULL);
  INSERT OR IGNORE INTO interlock_probe VALUES (1, 0);
`;

/** SQLite's code if another process holds the file. */
const busy = 5;

/** Enables write-ahead logging. Unlike other statements, this one does not wait while another process creates the file. */
const writeAhead = (db: DatabaseSync): void => {
  for (const deadline = Date.now() + patienceMs; ;) {
    try {
      return db.exec('PRAGMA journal_mode = WAL');
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== busy || Date.now() >= deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10); // milliseconds
    }
  }
};

/** Creates a missing file. It is never empty, not even during creation: an empty file has lost its runs. */
const makeFile = (path: string): void => {
  const hasLog = existsSync(`${path}-wal`); // checked before the file, which another process may be creating
  const isThere = existsSync(path);
  if (!isThere && !hasLog) return linkNew(path);
  if (isThere && statSync(path).size > 0) return undefined;
  const detail = isThere ? 'the file is empty' : 'its write-ahead log is there, and the file itself is not';
  throw new InterlockError('durable/damaged', { path, detail });
};

const linkNew = (path: string): void => {
  const own = `${path}.${randomUUID()}`;
  const db = new DatabaseSync(own);
  db.exec('PRAGMA user_version = 1'); // writes the first page
  db.close();
  try {
    linkSync(own, path);
  } catch {
    if (!existsSync(path)) copyFileSync(own, path, constants.COPYFILE_EXCL); // a file system without links
  } finally {
    rmSync(own);
  }
};

const openDatabase = (path: string): DatabaseSync => {
  mkdirSync(dirname(path), { recursive: true });
  if (path !== ':memory:') makeFile(path);
  const db = new DatabaseSync(path, { timeout: patienceMs });
  writeAhead(db);
  db.exec('PRAGMA synchronous = NORMAL'); // a killed process loses nothing; a power failure loses only writes since the last stored step
  db.exec(tables + boardTables);
  addColumns(db);
  return db;
};

/** Adds the columns that a file of an earlier version lacks. */
const addColumns = (db: DatabaseSync): void => {
  const there = new Set(
    db
      .prepare("SELECT name FROM pragma_table_info('interlock_runs')")
      .all()
      .map(({ name }) => name),
  );
  const missing = { resource_id: 'TEXT', priority: 'REAL NOT NULL DEFAULT 0' };
  for (const [name, type] of Object.entries(missing))
    if (!there.has(name)) db.exec(`ALTER TABLE interlock_runs ADD COLUMN ${name} ${type}`);
  db.exec('CREATE INDEX IF NOT EXISTS interlock_workflow_runs ON interlock_runs (workflow_run_id)');
};

/** Opens the database, or reports why the file cannot be used: it is no database, is read-only, or its folder cannot be created. */
const openWithError = (path: string): DatabaseSync => {
  try {
    return openDatabase(path);
  } catch (cause) {
    throw isInterlockError(cause) ? cause : fileError(path, cause);
  }
};

const noLabels: RunLabels = { resourceId: null, priority: 0 };

/** Opens the file of an engine; creates a missing file and folder. Raises `durable/unreachable`, `durable/damaged`. */
export const openFile = (path: string): OpenFile => {
  const db = openWithError(path);
  const find = db.prepare('SELECT workflow_run_id AS id FROM interlock_runs WHERE program = ? AND run_id = ?');
  const reserve = db.prepare('INSERT OR IGNORE INTO interlock_runs VALUES (?, ?, NULL, ?, ?)');
  const setRun = db.prepare('UPDATE interlock_runs SET workflow_run_id = ? WHERE program = ? AND run_id = ?');
  const label = db.prepare('UPDATE interlock_runs SET resource_id = ?, priority = ? WHERE program = ? AND run_id = ?');
  const survive = db.prepare('UPDATE interlock_lives SET deaths = deaths - 1 WHERE program = ? AND run_id = ?');
  const deaths = db.prepare('SELECT deaths FROM interlock_lives WHERE program = ? AND run_id = ?');
  const cancel = db.prepare('INSERT OR IGNORE INTO interlock_cancels VALUES (?, ?)');
  const canceled = db.prepare('SELECT 1 FROM interlock_cancels WHERE program = ? AND run_id = ?');
  const live = db.prepare(`
    INSERT INTO interlock_lives VALUES (?, ?, ?, 0)
    ON CONFLICT DO UPDATE SET deaths = iif(steps = excluded.steps, deaths + 1, 0), steps = excluded.steps
    RETURNING deaths`);
  return {
    reserve: (program, { runId, labels = noLabels }) => void reserve.run(program, runId, labels.resourceId, labels.priority),
    workflowRunOf: (program, runId) => (find.get(program, runId)?.['id'] as string | null | undefined) ?? undefined,
    setWorkflowRun: (program, { runId, workflowRunId, labels }) =>
      inTransaction(db, () => {
        setRun.run(workflowRunId, program, runId);
        if (labels) label.run(labels.resourceId, labels.priority, program, runId);
      }),
    requestCancel: (program, runId) => void cancel.run(program, runId),
    isCancelRequested: (program, runId) => canceled.get(program, runId) !== undefined,
    countStart: (program, runId, steps) => live.get(program, runId, steps)?.['deaths'] as number,
    deathsOf: (program, runId) => (deaths.get(program, runId)?.['deaths'] as number | undefined) ?? 0,
    uncountStart: (program, runId) => void survive.run(program, runId),
    list: (program, filter) => listRuns(db, program, filter),
    storedBytes: () =>
      Number(db.prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size').get()?.['bytes']),
    retry: (program, runId) => {
      const { changes } = db
        .prepare(
          `UPDATE workflow_runs SET status = 'pending', available_at = :now, updated_at = :now, finished_at = NULL, error = NULL
           WHERE status IN ('failed', 'canceled')
             AND id = (SELECT workflow_run_id FROM interlock_runs WHERE program = :program AND run_id = :runId)`,
        )
        .run({ now: new Date().toISOString(), program, runId });
      for (const table of changes > 0 ? ['interlock_lives', 'interlock_cancels'] : [])
        db.prepare(`DELETE FROM ${table} WHERE program = ? AND run_id = ?`).run(program, runId);
      return changes > 0;
    },
    drop: (program, runId) => {
      const id = find.get(program, runId)?.['id'] ?? '';
      inTransaction(db, () => {
        for (const table of ['interlock_runs', 'interlock_cancels', 'interlock_lives'])
          db.prepare(`DELETE FROM ${table} WHERE program = ? AND run_id = ?`).run(program, runId);
        for (const [table, column] of [
          ['interlock_steps', 'workflow_run_id'],
          ['step_attempts', 'workflow_run_id'],
          ['workflow_runs', 'id'],
        ])
          db.prepare(`DELETE FROM ${table} WHERE ${column} = ?`).run(id);
      });
    },
    board: (program) => boardOn(db, program),
    close: () => db.close(),
  };
};

/** The runs of a program in the file, latest first. OpenWorkflow creates its table after ours. */
const listRuns = (db: DatabaseSync, program: string, filter: PersistedRunFilter): readonly PersistedRun[] => {
  const { runId = null, resourceId = null, endedBefore, limit = -1 } = filter;
  return db
    .prepare(
      `SELECT run_id, resource_id, status, created_at, finished_at FROM interlock_runs JOIN workflow_runs ON id = workflow_run_id
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
  resourceId: row['resource_id'] === null ? undefined : String(row['resource_id']),
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
