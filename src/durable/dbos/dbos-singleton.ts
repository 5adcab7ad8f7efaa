import { DBOS, DBOSWorkflowConflictError } from '@dbos-inc/dbos-sdk';
import { refuseOption } from '../option-checks.js';

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
    refuseOption('durability', 'there is one DBOS in a process; give its agents the same engine, or close the other one.');
  if (!singleton.workflow && DBOS.isInitialized())
    refuseOption(
      'durability',
      'DBOS runs in this process already; let the engine launch it, or run the agents in a process of their own.',
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
