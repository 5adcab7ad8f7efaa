import type { Program } from '../journal.js';
import { forget, ledgerOf } from './ledger-tables.js';
import type { Suspects } from '../ledger.js';
import type { Returns } from './returns.js';
import { runOnDbos, toldToDbos } from './run-workflow.js';
import type { DbosHost } from './dbos-host.js';
import type { StartedWorkflow, Recover } from './dbos-singleton.js';

export interface RecoverOptions {
  readonly programs: ReadonlyMap<string, Program>;
  readonly maxDeaths: number;
  readonly suspects: Suspects;
  readonly closing: AbortSignal;
  readonly returns: Returns;
  site(): Promise<DbosHost>;
  /** What goes on here, until it does no more. */
  readonly underWay: Set<Promise<unknown>>;
}

/** Goes on with the runs that DBOS begins in this process, or that another process has left. */
export const createRecover = (options: RecoverOptions): Recover => {
  const { underWay, returns } = options;
  return async (workflowId, started) => {
    const going = recoverRun(options, workflowId, started);
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
    await forget(database, workflowId).catch(() => undefined); // what stays behind is small, and harms nobody
    return output;
  } finally {
    cancels.leave(workflowId);
  }
};
