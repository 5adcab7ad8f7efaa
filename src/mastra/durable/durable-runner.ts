import type { Agent } from '@mastra/core/agent';
import type { StartedRun } from '../agent/started-run.js';
import type { CallOptions } from '../call-options.js';
import type { AgentSetup } from '../agent/read-config.js';
import { isDelegated } from '../tools/delegation.js';
import { startDelegated, resumeDelegated } from './delegated-run.js';
import { delegatingTo } from '../tools/delegating.js';
import { startDurably, startedRunOf, resumeDurably, type DurableCall, type DurableResumeOptions } from './durable-calls.js';
import type { DurableRuns } from './durable-runs.js';

/** What keeps the run that an agent is asked for. */
export interface DurableRunner {
  start(call: DurableCall): Promise<StartedRun>;
  /** Nothing where the run is not kept. */
  resume(resuming: DurableResumeOptions): Promise<StartedRun> | undefined;
}

export interface RunnerParts {
  readonly agent: Agent;
  readonly setup: AgentSetup;
  readonly durable: DurableRuns | undefined;
}

/** What keeps an agent's run: its engine; where a supervisor asks for it, what keeps the supervisor's. */
export const durableRunnerOf = ({ agent, setup, durable }: RunnerParts, options: CallOptions): DurableRunner | undefined => {
  if (!isDelegated(options))
    return durable && { start: (call) => startDurably(durable, call), resume: (resuming) => resumeDurably(durable, resuming) };
  const delegating = delegatingTo(agent);
  const parts = { agent, setup };
  return (
    delegating && {
      start: async (call) => startedRunOf(await startDelegated(parts, delegating, call), call.options),
      resume: (resuming) =>
        resumeDelegated(parts, delegating, resuming)?.then((followed) => startedRunOf(followed, resuming.options)),
    }
  );
};
