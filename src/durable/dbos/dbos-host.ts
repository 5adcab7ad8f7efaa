import { randomUUID } from 'node:crypto';
import { DBOS, DBOSWorkflowConflictError } from '@dbos-inc/dbos-sdk';
import type { Pool } from 'pg';
import { watchCancels, createHeartbeats } from '../watches.js';
import { openDatabase, openPool, type Database } from './database.js';
import { anAddress, checkOptions, rejectOption } from '../option-checks.js';
import { aName, fieldsOf, needed, timerMsFrom, wholeNumberFrom, type ValueOf } from '../../option-kind.js';

const kinds = fieldsOf({
  /** The PostgreSQL database of DBOS, e.g. `postgresql://app:secret@127.0.0.1:5432/runs`; created if the server has none of this name. */
  systemDatabaseUrl: needed(anAddress('postgresql:', 'postgres:')),
  /**
   * The application's name in DBOS. Its processes take over each other's runs, so all of them must build the same agents.
   * Default: `interlock`.
   */
  name: aName,
  /**
   * Milliseconds without a heartbeat after which another process takes over the runs of a process; at least 1,000. A process
   * that computes for longer without a pause loses its runs. Default: 10,000.
   */
  leaseMs: timerMsFrom(1_000),
  /**
   * The number of processes that may die of a run one after another, without completing a further step. Then the run is given up as
   * `durable/lost-run`. At least 1. Default: 10.
   */
  maxDeaths: wholeNumberFrom(1),
  /** Milliseconds to wait for an unresponsive database before a call is rejected; at least 0. Default: 60,000. */
  patienceMs: timerMsFrom(0),
});

/** The database and the limits of runs on DBOS. */
export type DbosOptions = Readonly<ValueOf<typeof kinds>>;

type DbosSettings = Required<DbosOptions>;

/** Reads the options. Raises `durable/invalid-option`. */
export const readDbosOptions = (options: DbosOptions): DbosSettings => {
  checkOptions(kinds, options, () => {
    const namesDatabase = (URL.parse(options.systemDatabaseUrl)?.pathname.length ?? 2) > 1;
    return namesDatabase ? [] : [{ path: 'systemDatabaseUrl', detail: 'it must name a database, after the host.' }];
  });
  const { systemDatabaseUrl, name = 'interlock', leaseMs = 10_000, maxDeaths = 10, patienceMs = 60_000 } = options;
  return { systemDatabaseUrl, name, leaseMs, maxDeaths, patienceMs };
};

/** The input of a run. */
export interface StartedWorkflow {
  readonly programId: string;
  readonly runId: string;
  readonly input: string;
}

/** Continues a run. */
export type Recover = (workflowId: string, started: StartedWorkflow) => Promise<string>;

/** The name of the DBOS workflow of all runs. */
const workflowName = 'interlock';

/** DBOS is a singleton of the process and owns its workflows. So are the functions that an engine registers. */
const singleton: { recover?: Recover; workflow?: RunOf; pool?: Pool } = {};

type RunOf = (programId: string, runId: string, input: string) => Promise<string>;

/** Claims the DBOS of this process for an engine. Raises `durable/invalid-option` if another engine has it. */
export const takeDbos = (recover: Recover): RunOf => {
  if (singleton.recover)
    rejectOption('durability', 'a process can have only one DBOS; give its agents the same engine, or close the other engine.');
  if (!singleton.workflow && DBOS.isInitialized())
    rejectOption(
      'durability',
      'DBOS already runs in this process; let the engine launch it, or run the agents in a separate process.',
    );
  singleton.recover = recover;
  singleton.workflow ??= DBOS.registerWorkflow(
    async (programId: string, runId: string, input: string) => {
      const id = DBOS.workflowID ?? '';
      if (!singleton.recover) throw new DBOSWorkflowConflictError(id); // another process continues it
      return singleton.recover(id, { programId, runId, input });
    },
    { name: workflowName, maxRecoveryAttempts: Number.MAX_SAFE_INTEGER },
  );
  return singleton.workflow;
};

/** Releases the claim. */
export const leaveDbos = (): void => {
  delete singleton.recover;
};

/** DBOS and Interlock's tables, running in this process. */
export type DbosHost = Awaited<ReturnType<typeof workOn>>;

/** The queue of runs that their process has left, for another process. */
const queueName = 'interlock';

/** The time that DBOS may take to record the result of a run; it also elapses for runs that were passed on. */
const recordMs = 1_000;

/** Releases runs, so that the next free process continues them. */
export const queueRuns = async (workflowIds: string[]): Promise<void> => {
  if (workflowIds.length > 0) await DBOS.resumeWorkflows(workflowIds, { queueName });
};

/** DBOS's own defaults for its connections. */
const connections = { max: 10, connectionTimeoutMillis: 10_000, idle_in_transaction_session_timeout: 60_000 } as const;

/** Launches DBOS and opens Interlock's tables. */
export const openDbosHost = async ({ name, systemDatabaseUrl, leaseMs }: DbosSettings): Promise<DbosHost> => {
  const database = await openDatabase(systemDatabaseUrl);
  try {
    if (!DBOS.isInitialized()) {
      if (singleton.pool?.options.connectionString !== systemDatabaseUrl)
        // a launch that failed is repeated with the same connections
        singleton.pool = openPool({ connectionString: systemDatabaseUrl, ...connections });
      // The agent checks whether a run may continue with the code of this process.
      const identity = { name, executorID: randomUUID(), applicationVersion: 'interlock' };
      DBOS.setConfig({ ...identity, systemDatabaseUrl, systemDatabasePool: singleton.pool, logLevel: 'error' });
      await database.alone(() => DBOS.launch());
    }
    await DBOS.registerQueue(queueName, { onConflict: 'never_update', minPollingIntervalMs: 500 });
    return await workOn(database, leaseMs);
  } catch (error) {
    await database.close();
    throw error;
  }
};

/** Takes part in the takeover of runs, once DBOS is launched. */
const workOn = async (database: Database, leaseMs: number) => {
  const release = async (dead: string): Promise<void> => {
    const remaining = await DBOS.listWorkflows({
      executorId: dead,
      status: 'PENDING',
      workflowName,
      loadInput: false,
      loadOutput: false,
    });
    await queueRuns(remaining.map(({ workflowID }) => workflowID));
  };
  const takeover = await startTakeover(database, { processId: DBOS.executorID, leaseMs, release });
  const cancels = watchCancels(async (runIds) => {
    const found = await database.query<{ run_id: string }>('SELECT run_id FROM interlock.cancels WHERE run_id = ANY($1)', [
      runIds,
    ]);
    return found.map(({ run_id: runId }) => runId);
  });
  return {
    database,
    cancels,
    /** Requests the cancellation of a run. */
    requestCancel: async (runId: string): Promise<void> => {
      await database.query('INSERT INTO interlock.cancels VALUES ($1) ON CONFLICT DO NOTHING', [runId]);
      await cancels.look();
    },
    close: async (): Promise<void> => {
      cancels.stop();
      await DBOS.shutdown({ workflowCompletionTimeoutMS: recordMs });
      await takeover.leave(); // after this process has stopped starting runs
      await singleton.pool?.end();
      delete singleton.pool;
      await database.close();
    },
  };
};

interface TakeoverOptions {
  /** The name of this process among the others. */
  readonly processId: string;
  readonly leaseMs: number;
  /** Passes the runs of a dead process to live processes. */
  release(processId: string): Promise<void>;
}

/** The heartbeat value of a process that has left. */
const deletedId = '-1';

/**
 * Sends this process's heartbeat four times per lease, and checks those of the other processes. A process whose heartbeat this one has seen unchanged for a whole lease is dead:
 * its runs pass to live processes. Clocks are never compared. If the database was away, the wait starts again.
 */
export const startTakeover = async (database: Database, { processId, leaseMs, release }: TakeoverOptions) => {
  const { query } = database;
  const heartbeats = createHeartbeats(leaseMs / 2);
  const beat = () =>
    query('INSERT INTO interlock.processes VALUES ($1, 0) ON CONFLICT (id) DO UPDATE SET beat = interlock.processes.beat + 1', [
      processId,
    ]);
  // A process may die before its first heartbeat, or after a pause in which it was removed.
  const addMissing = () =>
    query(
      `INSERT INTO interlock.processes SELECT DISTINCT executor_id, 0 FROM dbos.workflow_status
       WHERE status = 'PENDING' AND name = $1 AND executor_id IS NOT NULL ON CONFLICT DO NOTHING`,
      [workflowName],
    );
  const deadProcesses = async (): Promise<string[]> => {
    const others = await query<{ id: string; beat: string }>('SELECT id, beat FROM interlock.processes WHERE id <> $1', [
      processId,
    ]);
    const silent = new Set(heartbeats.listen(others.map((other) => ({ ...other, leaseMs }))).map(({ id }) => id));
    return others.filter(({ id, beat: latest }) => latest === deletedId || silent.has(id)).map(({ id }) => id);
  };
  let isPolling = false;
  const poll = async (): Promise<void> => {
    await beat();
    await addMissing();
    for (const dead of await deadProcesses()) await database.strikeOff(dead, () => release(dead));
  };
  await beat();
  const timer = setInterval(() => {
    if (isPolling) return;
    isPolling = true;
    void poll()
      .catch(() => undefined) // the next check does it
      .finally(() => (isPolling = false));
  }, leaseMs / 4);
  return {
    /** Marks this process as gone. */
    leave: async (): Promise<void> => {
      clearInterval(timer);
      await query(`UPDATE interlock.processes SET beat = ${deletedId} WHERE id = $1`, [processId]);
    },
  };
};
