import { DBOS, DBOSWorkflowConflictError } from '@dbos-inc/dbos-sdk';

import { TakenOver, type Durable, type Program } from '../journal.js';
import { packText, unpackText } from '../packed.js';
import { storedDurable, type StepStore } from '../stored-steps.js';
import { claimSteps, type Checking } from './tables.js';
import { createExecution, DeadlyRun, type Suspects } from '../ledger.js';
import type { DbosHost, Recover, StartedWorkflow } from './dbos-host.js';

interface RecoverOptions {
  readonly programs: ReadonlyMap<string, Program>;
  readonly maxDeaths: number;
  readonly suspects: Suspects;
  readonly closing: AbortSignal;
  readonly returns: Returns;
  readonly check: Checking;
  site(): Promise<DbosHost>;
  /** The executions under way in this process. */
  readonly underWay: Set<Promise<unknown>>;
}

/** Continues the runs that DBOS starts in this process, or that another process has left. */
export const createRecover = (options: RecoverOptions): Recover => {
  const { underWay, returns } = options;
  return async (workflowId, started) => {
    const recovering = recoverRun(options, workflowId, started);
    underWay.add(recovering);
    try {
      const output = await recovering;
      returns.forget(workflowId);
      return output;
    } catch (error) {
      throw errorForDbos(workflowId, error);
    } finally {
      underWay.delete(recovering);
    }
  };
};

/** Runs a run in a workflow of DBOS. When interrupted, it first schedules the run to continue, and then rejects with the cause. */
const recoverRun = async (
  { programs, maxDeaths, suspects, closing, returns, check, site }: RecoverOptions,
  workflowId: string,
  { programId, runId, input }: StartedWorkflow,
): Promise<string> => {
  const { database, cancels } = await site();
  const store = await claimSteps(database, { workflowId, program: programId, executorId: DBOS.executorID });
  const canceled = cancels.watch(workflowId);
  const execution = createExecution(store, maxDeaths, suspects);
  try {
    const program = programs.get(programId);
    if (!program) throw new Error(`No agent here has the id "${programId}".`); // it may be built in another process, or later
    await check(database, program);
    const durable = untilClosed(storedDurable(store, execution, canceled), closing);
    return packText(await program.run(durable, { runId, input: unpackText(input, workflowId) }));
  } catch (error) {
    if (!(error instanceof DeadlyRun)) {
      await execution.interrupt();
      returns.later(workflowId, store);
    }
    throw error;
  } finally {
    execution.end();
    cancels.forget(workflowId, canceled);
  }
};

/** An engine that is closing starts no further outermost step. */
const untilClosed = (durable: Durable, closing: AbortSignal): Durable => ({
  ...durable,
  step: async (...args) => {
    closing.throwIfAborted();
    return durable.step(...args);
  },
});

/**
 * The error that DBOS gets for an error of a workflow. DBOS would end the run with it. For a run that is only interrupted, the
 * error means that this execution lost the run, so that DBOS stores nothing.
 */
const errorForDbos = (workflowId: string, error: unknown): unknown =>
  error instanceof DeadlyRun ? error : new DBOSWorkflowConflictError(workflowId);

/** Retries of runs that were interrupted although their process lives. */
type Returns = ReturnType<typeof createReturns>;

const firstPauseMs = 1_000;
const longestPauseMs = 300_000;

export const createReturns = (release: (workflowId: string) => Promise<void>, closing: AbortSignal) => {
  const pauses = new Map<string, number>();
  const wait = (workflowId: string, store: Pick<StepStore, 'check'>, pauseMs: number): void => {
    const returnRun = async (): Promise<void> => {
      if (closing.aborted) return;
      try {
        await store.check();
        await release(workflowId);
      } catch (error) {
        if (!(error instanceof TakenOver)) wait(workflowId, store, longestPauseMs);
      }
    };
    setTimeout(() => void returnRun(), pauseMs).unref();
  };
  return {
    /** Retries a run, each time after a longer pause; not if it is canceled or another execution has claimed it by then. */
    later: (workflowId: string, store: Pick<StepStore, 'check'>): void => {
      const pauseMs = pauses.get(workflowId) ?? firstPauseMs;
      pauses.set(workflowId, Math.min(pauseMs * 2, longestPauseMs));
      wait(workflowId, store, pauseMs);
    },
    /** Ends the retries of a run. */
    forget: (workflowId: string) => void pauses.delete(workflowId),
  };
};
