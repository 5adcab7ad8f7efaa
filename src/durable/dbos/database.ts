import { setTimeout } from 'node:timers/promises';
import pRetry from 'p-retry';
import { unreachableAt } from '../calls.js';
import { Client, escapeIdentifier, Pool, type PoolConfig, type QueryResultRow } from 'pg';
import { fieldsIn } from '../../phase/plain-data.js';

/** Interlock's tables next to those of DBOS, in the same database. */
export type Database = Awaited<ReturnType<typeof openDatabase>>;

const tables = `
  CREATE SCHEMA IF NOT EXISTS interlock;
  CREATE TABLE IF NOT EXISTS interlock.steps (
    run_id TEXT NOT NULL, key TEXT NOT NULL, text BYTEA NOT NULL, at BIGINT GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (run_id, key)
  );
  CREATE TABLE IF NOT EXISTS interlock.lives (
    run_id TEXT PRIMARY KEY, owner TEXT NOT NULL, steps INTEGER NOT NULL DEFAULT -1, deaths INTEGER NOT NULL DEFAULT 0
  );
  CREATE TABLE IF NOT EXISTS interlock.encrypted (program TEXT PRIMARY KEY);
  CREATE TABLE IF NOT EXISTS interlock.cancels (run_id TEXT PRIMARY KEY);
  CREATE TABLE IF NOT EXISTS interlock.processes (id TEXT PRIMARY KEY, beat BIGINT NOT NULL);
  CREATE TABLE IF NOT EXISTS interlock.board (
    program TEXT NOT NULL, run_id TEXT NOT NULL, place INTEGER NOT NULL, entry BYTEA NOT NULL, mark TEXT,
    PRIMARY KEY (program, run_id, place)
  );
  CREATE INDEX IF NOT EXISTS marks ON interlock.board (program, run_id, mark, place) WHERE mark IS NOT NULL;
  CREATE TABLE IF NOT EXISTS interlock.notes (
    program TEXT NOT NULL, run_id TEXT NOT NULL, note TEXT NOT NULL, pinned_at TIMESTAMPTZ NOT NULL DEFAULT now(), PRIMARY KEY (program, run_id)
  );
`;

/** Prevents two processes from creating the same tables at once. */
const tablesLock = 7_318_204_511;

/** Held by the process that launches DBOS, which creates and migrates its own tables. */
const launchLock = 7_318_204_512;

/**
 * Connections whose end harms no process, whenever it comes: `pg` throws the error of a connection without a listener, and a connection has
 * none of DBOS's between its checkout and the next turn of the event loop.
 */
export const openPool = (config: PoolConfig): Pool => {
  const pool = new Pool(config);
  pool.on('error', () => undefined); // an idle connection ended; the next query opens another
  pool.on('connect', (client) => client.on('error', () => undefined)); // a connection in use ended: its next query rejects
  return pool;
};

/** Opens the database, and creates it and its tables if missing. Rejects if the server does not answer. */
export const openDatabase = async (connectionString: string) => {
  const pool = openPool({ connectionString, max: 5 });
  let isClosed = false;
  const createTables = () =>
    inTransaction(pool, async (query) => {
      await query('SELECT pg_advisory_xact_lock($1)', [tablesLock]);
      await query(tables);
    });
  try {
    await createTables().catch(async (error: unknown) => {
      if (codeOf(error) !== states.noDatabase) throw error;
      await createDatabase(connectionString);
      await createTables();
    });
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    /** Retries until the database answers. Raises `durable/unreachable` after a limit, by default never. */
    query: async <Row extends QueryResultRow>(sql: string, values?: readonly unknown[], limitMs = Infinity): Promise<Row[]> => {
      const { rows } = await patiently(
        () => pool.query<Row>(sql, values && [...values]),
        limitMs,
        () => !isClosed,
      );
      return rows;
    },
    /** Runs `act` while no other process does. Waits at most ten seconds for them. */
    alone: (act: () => Promise<void>) => withLaunchLock(pool, act),
    /** Removes a process from the list after `act`, which no other process runs meanwhile. Does nothing if another process is at it. */
    strikeOff: (process: string, act: () => Promise<void>) =>
      inTransaction(pool, async (query) => {
        if ((await query('SELECT id FROM interlock.processes WHERE id = $1 FOR UPDATE SKIP LOCKED', [process])) !== 1) return;
        await act();
        await query('DELETE FROM interlock.processes WHERE id = $1', [process]);
      }),
    close: () => {
      isClosed = true;
      return pool.end();
    },
  };
};

/** SQLSTATEs by meaning. */
const states = { noDatabase: '3D000', databaseExists: '42P04', duplicateKey: '23505' } as const;

const codeOf = (error: unknown): unknown => fieldsIn(error)['code'];

/** Creates the database of a URL. Does nothing if another process was faster. */
const createDatabase = async (connectionString: string): Promise<void> => {
  const url = new URL(connectionString);
  const name = decodeURI(url.pathname.slice(1));
  url.pathname = '/postgres';
  const client = new Client({ connectionString: url.href });
  client.on('error', () => undefined); // the query under way rejects
  try {
    await client.connect();
    await client.query(`CREATE DATABASE ${escapeIdentifier(name)}`);
  } catch (error) {
    const code = codeOf(error);
    if (code !== states.databaseExists && code !== states.duplicateKey) throw error;
  } finally {
    await client.end();
  }
};

const lockPollMs = 100;

/** The longest wait for the lock. A lost machine may hold it for hours, and a connection pooler may hold it for a process that has ended. */
const lockWaitMs = 10_000;

/**
 * The connection of the lock is in no transaction, and no query waits for the lock: `CREATE INDEX CONCURRENTLY` in `act` waits
 * until every transaction has ended. Without the lock, DBOS logs errors and retries.
 */
const withLaunchLock = async (pool: Pool, act: () => Promise<void>): Promise<void> => {
  const client = await pool.connect();
  try {
    const tryLock = async () =>
      (await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [launchLock])).rows[0]?.locked;
    const until = performance.now() + lockWaitMs;
    while (!(await tryLock()) && performance.now() < until) await setTimeout(lockPollMs);
    await act();
    await client.query('SELECT pg_advisory_unlock_all()').catch(() => undefined); // a pooler keeps its connection
  } finally {
    client.release(true); // ends the connection, and with it the lock
  }
};

type Query = (sql: string, values?: unknown[]) => Promise<number | null>;

const inTransaction = async (pool: Pool, act: (query: Query) => Promise<void>): Promise<void> => {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await act(async (sql, values) => (await client.query(sql, values)).rowCount);
    await client.query('COMMIT');
    client.release();
  } catch (error) {
    client.release(true); // rolls back the open transaction
    throw error;
  }
};

const patiently = async <T>(act: () => Promise<T>, limitMs: number, isOpen: () => boolean): Promise<T> => {
  try {
    return await pRetry(act, {
      retries: Infinity,
      minTimeout: 100,
      maxTimeout: 1_000,
      maxRetryTime: limitMs,
      shouldRetry: ({ error }) => isOpen() && isAway(error),
    });
  } catch (error) {
    throw error instanceof Error && isAway(error) && isOpen() ? unreachableAt('systemDatabaseUrl', error) : error;
  }
};

/** SQLSTATEs for a database that is unreachable, shutting down or full, and for a lost race. */
const awayStates = /^(08|53|57P|23505)/;

/** An error without an SQLSTATE is a connection error. */
const isAway = (error: Error): boolean => {
  const { code } = fieldsIn(error);
  return typeof code !== 'string' || code.length !== 5 || awayStates.test(code);
};
