import { DBOSWorkflowConflictError } from '@dbos-inc/dbos-sdk';
import type { Program } from '../journal.js';
import { forget, ledgerOf } from './ledger-tables.js';
import type { Returns } from './returns.js';
import { runOnDbos } from './run-workflow.js';
import type { Site } from './site.js';
import type { GoOn } from './the-one-dbos.js';

export interface GoingOn {
  readonly programs: ReadonlyMap<string, Program>;
  readonly maxDeaths: number;
  readonly closing: AbortSignal;
  readonly returns: Returns;
  site(): Promise<Site>;
  /** What goes on here, until it does no more. */
  readonly underWay: Set<Promise<unknown>>;
}

/** Goes on with the runs that DBOS begins in this process, or that another process has left. */
export const createGoOn =
  ({ programs, maxDeaths, closing, returns, site, underWay }: GoingOn): GoOn =>
  async (workflowId, { programId, runId, input }) => {
    const { database, cancels } = await site();
    const program = programs.get(programId);
    const again = (): void => returns.later(workflowId);
    if (!program) {
      again(); // its agent may be built in another process, or later
      throw new DBOSWorkflowConflictError(workflowId);
    }
    const ledger = ledgerOf(database, workflowId);
    const canceled = cancels.watch(workflowId);
    const going = runOnDbos({ program, runId, input, workflowId, ledger, maxDeaths, canceled, closing, again });
    underWay.add(going);
    try {
      const output = await going;
      await forget(database, workflowId);
      returns.forget(workflowId);
      return output;
    } finally {
      underWay.delete(going);
      cancels.leave(workflowId);
    }
  };
