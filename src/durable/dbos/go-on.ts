import type { Program } from '../journal.js';
import { forget, ledgerOf } from './ledger-tables.js';
import type { Suspects } from '../ledger.js';
import type { Returns } from './returns.js';
import { runOnDbos, toldToDbos } from './run-workflow.js';
import type { Site } from './site.js';
import type { Begun, GoOn } from './the-one-dbos.js';

export interface GoingOn {
  readonly programs: ReadonlyMap<string, Program>;
  readonly maxDeaths: number;
  readonly suspects: Suspects;
  readonly closing: AbortSignal;
  readonly returns: Returns;
  site(): Promise<Site>;
  /** What goes on here, until it does no more. */
  readonly underWay: Set<Promise<unknown>>;
}

/** Goes on with the runs that DBOS begins in this process, or that another process has left. */
export const createGoOn = (goingOn: GoingOn): GoOn => {
  const { underWay, returns } = goingOn;
  return async (workflowId, begun) => {
    const going = go(goingOn, workflowId, begun);
    underWay.add(going);
    try {
      const output = await going;
      returns.forget(workflowId);
      return output;
    } catch (error) {
      throw toldToDbos(workflowId, error);
    } finally {
      underWay.delete(going);
    }
  };
};

const go = async (
  { programs, maxDeaths, suspects, closing, returns, site }: GoingOn,
  workflowId: string,
  begun: Begun,
): Promise<string> => {
  const { programId, runId, input } = begun;
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
    await forget(database, workflowId).catch(() => undefined); // what stays behind is small, and harms nobody
    return output;
  } finally {
    cancels.leave(workflowId);
  }
};
