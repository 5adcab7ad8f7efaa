import { DBOS, DBOSWorkflowConflictError, Error as dbosErrors } from '@dbos-inc/dbos-sdk';

import type { Durable, Program } from '../journal.js';
import { forget, ledgerOf } from './tables.js';
import { createExecution, DeadlyRun, type Execution, inParts, type Ledger, type Suspects } from '../ledger.js';
import type { DbosHost, Recover, StartedWorkflow } from './dbos-host.js';
import { Interruption } from '../../loop/interruption.js';

interface RecoverOptions {
  readonly programs: ReadonlyMap<string, Program>;
  readonly maxDeaths: number;
  readonly suspects: Suspects;
  readonly closing: AbortSignal;
  readonly returns: Returns;
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
  { programs, maxDeaths, suspects, closing, returns, site }: RecoverOptions,
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
  const ledger = ledgerOf(database, workflowId);
  const canceled = cancels.watch(workflowId);
  try {
    const output = await runOnDbos({ program, runId, input, workflowId, ledger, maxDeaths, suspects, canceled, closing, again });
    await forget(database, workflowId).catch(() => undefined); // the remaining rows are few and harmless
    return output;
  } finally {
    cancels.forget(workflowId);
  }
};

interface RunOnDbos {
  readonly program: Program;
  readonly runId: string;
  readonly input: string;
  /** The id of the run in DBOS. */
  readonly workflowId: string;
  readonly ledger: Ledger;
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
  const { program, runId, input, ledger, maxDeaths, suspects } = run;
  const execution = createExecution({ ledger, maxDeaths, suspects });
  const failed: { by?: unknown } = {};
  try {
    return await program.run(durableOn(run, execution, failed), { runId, input });
  } catch (error) {
    const cause = failed.by ?? error;
    if (!isExpected(cause)) {
      await execution.interrupt();
      run.again();
    }
    throw cause;
  } finally {
    execution.end();
  }
};

/** The run was given up, or stopped in DBOS. An execution that lost a part to another one may still be the one that DBOS waits for. */
const isExpected = (error: unknown): boolean => error instanceof DeadlyRun || isOfDbos(error);

const isOfDbos = (error: unknown): boolean =>
  error instanceof DBOSWorkflowConflictError || error instanceof dbosErrors.DBOSWorkflowCancelledError;

/**
 * The error that DBOS gets for an error of a workflow. DBOS would end the run with it. For a run that is only interrupted, the
 * error means that this execution lost the run, so that DBOS stores nothing.
 */
const errorForDbos = (workflowId: string, error: unknown): unknown =>
  error instanceof DeadlyRun || isOfDbos(error) ? error : new DBOSWorkflowConflictError(workflowId);

const isAbandoned = async (workflowId: string): Promise<boolean> =>
  (await DBOS.getWorkflowStatus(workflowId))?.status === 'CANCELLED';

const durableOn = (run: RunOnDbos, execution: Execution, failed: { by?: unknown }): Durable => {
  const { workflowId, ledger, canceled, closing } = run;
  const over = new AbortController().signal; // this execution has no takeover signal
  let steps = 0;
  return {
    step: async (name, body) => {
      closing.throwIfAborted();
      let isLive = false;
      const live = async (): Promise<string> => {
        isLive = true;
        try {
          await execution.start(steps);
          closing.throwIfAborted();
          const text = await body(inParts({ ledger, step: name, canceled, over }));
          if (canceled.aborted && (await isAbandoned(workflowId))) throw new dbosErrors.DBOSWorkflowCancelledError(workflowId);
          return text;
        } catch (error) {
          failed.by = error instanceof Interruption ? error.cause : error;
          throw new DBOSWorkflowConflictError(workflowId);
        }
      };
      const text = await DBOS.runStep(live, { name });
      steps += 1;
      if (isLive) execution.pass();
      return text;
    },
    canceled,
  };
};

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
