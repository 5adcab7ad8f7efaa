import { DBOS, DBOSWorkflowConflictError } from '@dbos-inc/dbos-sdk';
import { rejectOption } from '../option-checks.js';

/** The input of a run. */
export interface StartedWorkflow {
  readonly programId: string;
  readonly runId: string;
  readonly input: string;
}

/** Continues a run. */
export type Recover = (workflowId: string, started: StartedWorkflow) => Promise<string>;

/** The name of the DBOS workflow of all runs. */
export const workflowName = 'interlock';

/** DBOS is a singleton of the process and owns its workflows. So are the functions that an engine registers. */
const singleton: { recover?: Recover; workflow?: RunOf } = {};

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
