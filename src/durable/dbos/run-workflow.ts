import { DBOS, DBOSWorkflowConflictError, Error as dbosErrors } from '@dbos-inc/dbos-sdk';
import { Interruption } from '../../loop/interruption.js';
import type { Durable, Program } from '../journal.js';
import { DeadlyRun, inParts, noteLifeIn, TakenOver, type Ledger, type NotedLife, type Suspects } from '../ledger.js';

export interface RunOnDbos {
  readonly program: Program;
  readonly runId: string;
  readonly input: string;
  /** As DBOS calls the run. */
  readonly workflowId: string;
  readonly ledger: Ledger;
  readonly maxDeaths: number;
  readonly suspects: Suspects;
  readonly canceled: AbortSignal;
  /** Aborted when no step is to be begun any more in this process. */
  readonly closing: AbortSignal;
  /** Has the run gone on with later, in whatever process. */
  again(): void;
}

/** Goes through a run in a workflow of DBOS. Rejects with what has interrupted it, having seen to that it is gone on with. */
export const runOnDbos = async (run: RunOnDbos): Promise<string> => {
  const { program, runId, input, ledger, maxDeaths, suspects } = run;
  const life = noteLifeIn({ lives: ledger, maxDeaths, suspects });
  const failed: { by?: unknown } = {};
  try {
    return await program.run(durableOn(run, life, failed), { runId, input });
  } catch (error) {
    const cause = failed.by ?? error;
    if (!isSeenTo(cause)) {
      await ledger.noteSurvival();
      run.again();
    }
    throw cause;
  } finally {
    life.pass();
  }
};

/** The run is given up, another process has taken it over, or somebody has stopped it in DBOS. */
const isSeenTo = (error: unknown): boolean => error instanceof DeadlyRun || error instanceof TakenOver || isOfDbos(error);

const isOfDbos = (error: unknown): boolean =>
  error instanceof DBOSWorkflowConflictError || error instanceof dbosErrors.DBOSWorkflowCancelledError;

/**
 * What DBOS is told of what a workflow throws. It would end the run with it: where a run is only interrupted, it is told that the run is no
 * longer this execution's, so that it keeps nothing of it.
 */
export const toldToDbos = (workflowId: string, error: unknown): unknown =>
  error instanceof DeadlyRun || isOfDbos(error) ? error : new DBOSWorkflowConflictError(workflowId);

const durableOn = (run: RunOnDbos, life: NotedLife, failed: { by?: unknown }): Durable => {
  const { workflowId, ledger, canceled, closing } = run;
  const over = new AbortController().signal; // nobody is told to give up
  let steps = 0;
  return {
    step: async (name, body) => {
      closing.throwIfAborted();
      let isLive = false;
      const live = async (): Promise<string> => {
        isLive = true;
        try {
          await life.begin(steps);
          closing.throwIfAborted();
          return await body(inParts({ ledger, step: name, canceled, over }));
        } catch (error) {
          failed.by = error instanceof Interruption ? error.cause : error;
          throw new DBOSWorkflowConflictError(workflowId);
        }
      };
      const text = await DBOS.runStep(live, { name });
      steps += 1;
      if (isLive) life.pass();
      return text;
    },
    canceled,
  };
};
