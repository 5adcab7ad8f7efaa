import { DBOS, DBOSWorkflowConflictError, Error as dbosErrors } from '@dbos-inc/dbos-sdk';
import { Interruption } from '../../loop/interruption.js';
import type { Durable, Program } from '../journal.js';
import { DeadlyRun, inParts, noteLifeIn, TakenOver, type Ledger } from '../ledger.js';

export interface RunOnDbos {
  readonly program: Program;
  readonly runId: string;
  readonly input: string;
  /** As DBOS calls the run. */
  readonly workflowId: string;
  readonly ledger: Ledger;
  readonly maxDeaths: number;
  readonly canceled: AbortSignal;
  /** Aborted when no step is to be begun any more in this process. */
  readonly closing: AbortSignal;
  /** Has the run gone on with later, in whatever process. */
  again(): void;
}

/**
 * Goes through a run in a workflow of DBOS. What a step throws would be kept as its outcome, and what a workflow throws would end it:
 * where a run is only interrupted, DBOS is told that the run is no longer this execution's, so that it keeps neither.
 */
export const runOnDbos = async (run: RunOnDbos): Promise<string> => {
  const { program, runId, input, workflowId, ledger } = run;
  const failed: { by?: unknown } = {};
  try {
    return await program.run(durableOn(run, failed), { runId, input });
  } catch (error) {
    const cause = failed.by ?? error;
    if (cause instanceof DeadlyRun || isOwn(cause)) throw cause;
    if (cause instanceof TakenOver) throw new DBOSWorkflowConflictError(workflowId);
    await ledger.noteSurvival();
    run.again();
    throw new DBOSWorkflowConflictError(workflowId);
  }
};

/** Another process has taken the run over, or somebody has stopped it in DBOS: DBOS sees to that. */
const isOwn = (error: unknown): boolean =>
  error instanceof DBOSWorkflowConflictError || error instanceof dbosErrors.DBOSWorkflowCancelledError;

const durableOn = (run: RunOnDbos, failed: { by?: unknown }): Durable => {
  const { workflowId, ledger, maxDeaths, canceled, closing } = run;
  const noteLife = noteLifeIn(ledger, maxDeaths);
  const over = new AbortController().signal; // nobody is told to give up
  let steps = 0;
  return {
    step: async (name, body) => {
      closing.throwIfAborted();
      const live = async (): Promise<string> => {
        try {
          await noteLife(steps);
          return await body(inParts({ ledger, step: name, canceled, over }));
        } catch (error) {
          failed.by = error instanceof Interruption ? error.cause : error;
          throw new DBOSWorkflowConflictError(workflowId);
        }
      };
      const text = await DBOS.runStep(live, { name });
      steps += 1;
      return text;
    },
    canceled,
  };
};
