import { randomUUID } from 'node:crypto';
import { constants, copyFileSync, existsSync, linkSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BackendSqlite } from 'openworkflow/sqlite';
import { InterlockError, isInterlockError } from '../../errors.js';
import { fieldsIn } from '../../phase/plain-data.js';
import { databaseOf, fileError } from './leased.js';

/** Milliseconds that a process waits for another one that is writing. */
export const patienceMs = 5_000;

const tables = `
  CREATE TABLE IF NOT EXISTS interlock_runs (
    program TEXT NOT NULL, run_id TEXT NOT NULL, workflow_run_id TEXT, resource_id TEXT, priority REAL NOT NULL DEFAULT 0,
    PRIMARY KEY (program, run_id)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS interlock_workflow_runs ON interlock_runs (workflow_run_id);
  CREATE TABLE IF NOT EXISTS interlock_cancels (
    program TEXT NOT NULL, run_id TEXT NOT NULL, PRIMARY KEY (program, run_id)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS interlock_lives (
    program TEXT NOT NULL, run_id TEXT NOT NULL, steps INTEGER NOT NULL, deaths INTEGER NOT NULL, PRIMARY KEY (program, run_id)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS interlock_steps (
    workflow_run_id TEXT NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (workflow_run_id, key)
  );
  CREATE TABLE IF NOT EXISTS interlock_board (
    program TEXT NOT NULL, run_id TEXT NOT NULL, place INTEGER NOT NULL, entry TEXT NOT NULL, mark TEXT,
    PRIMARY KEY (program, run_id, place)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS interlock_marks ON interlock_board (program, run_id, mark) WHERE mark IS NOT NULL;
  CREATE TABLE IF NOT EXISTS interlock_notes (
    program TEXT NOT NULL, run_id TEXT NOT NULL, pinned_at INTEGER NOT NULL, note TEXT NOT NULL, PRIMARY KEY (program, run_id)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS interlock_encrypted (program TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS interlock_file (one INTEGER PRIMARY KEY, identity TEXT NOT NULL, users INTEGER NOT NULL);
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
      if (fieldsIn(error)['errcode'] !== busy || Date.now() >= deadline) throw error;
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
  const empty = new DatabaseSync(own);
  empty.exec('PRAGMA page_size = 8192; VACUUM');
  empty.close();
  databaseOf(BackendSqlite.connect(own)).close(); // OpenWorkflow's tables: it does not wait for another process that creates them, too
  const db = new DatabaseSync(own);
  db.exec(`PRAGMA user_version = 1; ${tables}`);
  db.prepare('INSERT INTO interlock_file VALUES (1, ?, 1)').run(identityOf(own)); // a link has the same
  db.close();
  try {
    linkSync(own, path);
  } catch {
    if (!existsSync(path)) copyFileSync(own, path, constants.COPYFILE_EXCL); // a file system without links
  } finally {
    rmSync(own);
  }
};

const identityOf = (path: string): string => String(statSync(path, { bigint: true }).ino);

/**
 * Marks the file as in use, in the file itself. A plain copy of a file in use lacks its write-ahead log, and so has another identity and the
 * mark, but no log: it is rejected instead of opened without its last runs.
 */
const markInUse = (db: DatabaseSync, path: string, isAlone: boolean): void => {
  const identity = identityOf(path);
  const known = db.prepare('SELECT identity, users FROM interlock_file').get();
  if (isAlone && known && Number(known['users']) > 0 && known['identity'] !== identity) {
    db.close();
    const detail = 'it is a plain copy of a file in use; copy it with backup(path)';
    throw new InterlockError('durable/damaged', { path, detail });
  }
  const users = isAlone ? 1 : Number(known?.['users'] ?? 0) + 1;
  const mark =
    'INSERT INTO interlock_file VALUES (1, :identity, 1) ON CONFLICT DO UPDATE SET identity = :identity, users = :users';
  db.prepare(mark).run({ identity, users });
  db.exec('PRAGMA wal_checkpoint(PASSIVE)');
};

/** Closes a file, without the mark of this process. */
export const closeFile = (db: DatabaseSync): void => {
  try {
    db.exec('UPDATE interlock_file SET users = max(users - 1, 0)');
  } finally {
    db.close();
  }
};

/** Copies a file that is in use to a new file, whole. Raises `durable/unreachable`, for example if the new file exists. */
export const backupFile = (path: string, to: string): void => {
  try {
    const db = new DatabaseSync(path, { timeout: patienceMs });
    try {
      db.prepare('VACUUM INTO ?').run(to);
    } finally {
      db.close();
    }
    const copy = new DatabaseSync(to);
    copy.exec('UPDATE interlock_file SET users = 0');
    copy.close();
  } catch (cause) {
    throw fileError(to, cause);
  }
};

const openDatabase = (path: string): DatabaseSync => {
  mkdirSync(dirname(path), { recursive: true });
  if (path !== ':memory:') makeFile(path);
  const isAlone = !existsSync(`${path}-wal`);
  const db = new DatabaseSync(path, { timeout: patienceMs });
  writeAhead(db);
  db.exec('PRAGMA synchronous = NORMAL'); // a killed process loses nothing; a power failure loses only writes since the last stored step
  db.exec(tables);
  if (path !== ':memory:') markInUse(db, path, isAlone);
  return db;
};

/**
 * Opens the file of an engine; creates a missing file and folder. Raises `durable/unreachable`, `durable/damaged`: it is no database, is
 * read-only, or its folder cannot be created.
 */
export const openFile = (path: string): DatabaseSync => {
  try {
    return openDatabase(path);
  } catch (cause) {
    throw isInterlockError(cause) ? cause : fileError(path, cause);
  }
};
