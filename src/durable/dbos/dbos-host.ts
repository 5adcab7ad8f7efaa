import { randomUUID } from 'node:crypto';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { watchCancels, type CancelWatch } from '../cancel-watch.js';
import { openDatabase, type Database } from './database.js';
import type { DbosSettings } from './dbos-options.js';
import { startTakeover } from './takeover.js';
import { workflowName } from './dbos-singleton.js';

/** DBOS and Interlock's tables, running in this process. */
export interface DbosHost {
  readonly database: Database;
  readonly cancels: CancelWatch;
  /** Requests the cancellation of a run. */
  requestCancel(runId: string): Promise<void>;
  close(): Promise<void>;
}

/** The queue of runs that their process has left, for another process. */
const queueName = 'interlock';

/** The time that DBOS may take to record the result of a run; it also elapses for runs that were passed on. */
const recordMs = 1_000;

/** Releases runs, so that the next free process continues them. */
export const queueRuns = async (workflowIds: string[]): Promise<void> => {
  if (workflowIds.length > 0) await DBOS.resumeWorkflows(workflowIds, { queueName });
};

/** Releases a run that this process has interrupted, unless another process has it by now. */
export const queueOwnRun = async (workflowId: string): Promise<void> => {
  const found = await DBOS.getWorkflowStatus(workflowId);
  if (found?.status === 'PENDING' && found.executorId === DBOS.executorID) await queueRuns([workflowId]);
};

/** Launches DBOS and opens Interlock's tables. */
export const openDbosHost = async ({ name, systemDatabaseUrl, leaseMs }: DbosSettings): Promise<DbosHost> => {
  const database = await openDatabase(systemDatabaseUrl);
  try {
    if (!DBOS.isInitialized()) {
      // The agent checks whether a run may continue with the code of this process.
      DBOS.setConfig({ name, systemDatabaseUrl, executorID: randomUUID(), applicationVersion: 'interlock', logLevel: 'error' });
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
const workOn = async (database: Database, leaseMs: number): Promise<DbosHost> => {
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
    requestCancel: async (runId) => {
      await database.query('INSERT INTO interlock.cancels VALUES ($1) ON CONFLICT DO NOTHING', [runId]);
      await cancels.look();
    },
    close: async () => {
      cancels.stop();
      await DBOS.shutdown({ workflowCompletionTimeoutMS: recordMs });
      await takeover.leave(); // after this process has stopped starting runs
      await database.close();
    },
  };
};
