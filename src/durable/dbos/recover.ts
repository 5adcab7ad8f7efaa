import { DBOS, DBOSWorkflowConflictError } from '@dbos-inc/dbos-sdk';

import type { Durable, Program } from '../journal.js';
import { storedDurable } from '../stored-steps.js';
import { claimSteps, type Checking } from './tables.js';
import { createExecution, DeadlyRun, type Execution, type Suspects } from '../ledger.js';
import type { DbosHost, Recover, StartedWorkflow } from './dbos-host.js';

interface RecoverOptions {
  readonly programs: ReadonlyMap<string, Program>;
  readonly maxDeaths: number;
  readonly suspects: Suspects;
  readonly closing: AbortSignal;
  readonly returns: Returns;
  readonly check: Checking;
  site(): Promise<DbosHost>;
  /** The executions under way in this process, with the ids of their runs in DBOS. */
  readonly underWay: Map<Promise<unknown>, string>;
}

/** Continues the runs that DBOS starts in this process, or that another process has left. */
export const createRecover = (options: RecoverOptions): Recover => {
  const { underWay, returns } = options;
  return async (workflowId, started) => {
    const recovering = recoverRun(options, workflowId, started);
    underWay.set(recovering, workflowId);
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

const recoverRun = async (
  { programs, maxDeaths, suspects, closing, returns, check, site }: RecoverOptions,
  workflowId: string,
  started: StartedWorkflow,
): Promise<string> => {
  const { programId, runId, input } = started;
  const { database, cancels } = await site();
  const program = programs.get(programId);
  const again = (): void => returns.later(workflowId);
  if (!program) {
    again(); // its agent may be built in another process, or later
    throw new Error(`No agent here has the id "${programId}".`);
  }
  const canceled = cancels.watch(workflowId);
  try {
    const claim = async () => {
      await check(database, program);
      return claimSteps(database, { workflowId, program: programId, executorId: DBOS.executorID });
    };
    return await runOnDbos({ program, runId, input, claim, maxDeaths, suspects, canceled, closing, again });
  } finally {
    cancels.forget(workflowId);
  }
};

interface RunOnDbos {
  readonly program: Program;
  readonly runId: string;
  readonly input: string;
  claim(): ReturnType<typeof claimSteps>;
  readonly maxDeaths: number;
  readonly suspects: Suspects;
  readonly canceled: AbortSignal;
  /** Aborted when this process must start no more steps. */
  readonly closing: AbortSignal;
  /** Schedules the run to continue later, in any process, unless another process has it by then. */
  again(): void;
}

/**
 * Runs a run in a workflow of DBOS. When interrupted, it first schedules the run to continue, and then rejects with the cause.
 */
const runOnDbos = async (run: RunOnDbos): Promise<string> => {
  const { program, runId, input, maxDeaths, suspects, canceled, closing, again } = run;
  let execution: Execution | undefined;
  try {
    const store = await run.claim();
    execution = createExecution({ ledger: store, maxDeaths, suspects });
    return await program.run(untilClosed(storedDurable({ store, execution, canceled }), closing), { runId, input });
  } catch (error) {
    if (!(error instanceof DeadlyRun)) {
      await execution?.interrupt();
      again();
    }
    throw error;
  } finally {
    execution?.end();
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

interface ReturnsOptions {
  release(workflowId: string): Promise<void>;
  /** Whether another execution of the run is under way in this process. Its work must not be repeated meanwhile. */
  isUnderWay(workflowId: string): boolean;
  readonly closing: AbortSignal;
}

export const createReturns = ({ release, isUnderWay, closing }: ReturnsOptions) => {
  const pauses = new Map<string, number>();
  const wait = (workflowId: string, pauseMs: number): void => {
    const timer = setTimeout(() => {
      if (closing.aborted) return;
      if (isUnderWay(workflowId)) wait(workflowId, firstPauseMs);
      else release(workflowId).catch(() => wait(workflowId, longestPauseMs));
    }, pauseMs);
    timer.unref();
  };
  return {
    /** Retries a run, each time after a longer pause. */
    later: (workflowId: string): void => {
      const pauseMs = pauses.get(workflowId) ?? firstPauseMs;
      pauses.set(workflowId, Math.min(pauseMs * 2, longestPauseMs));
      wait(workflowId, pauseMs);
    },
    /** Ends the retries of a run. */
    forget: (workflowId: string) => void pauses.delete(workflowId),
  };
};
