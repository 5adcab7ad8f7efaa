import type { Agent } from '@mastra/core/agent';
import type { Begun } from '../agent/begun.js';
import type { CallOptions } from '../call-options.js';
import type { AgentSetup } from '../agent/read-config.js';
import { isDelegated } from '../tools/delegation.js';
import { beginDelegated, resumeDelegated } from './delegated-run.js';
import { delegatingTo } from '../tools/delegating.js';
import { beginDurably, begunOf, resumeDurably, type DurableCall, type DurableResuming } from './durable-calls.js';
import type { DurableRuns } from './durable-runs.js';

/** What keeps the run that an agent is asked for. */
export interface Keeper {
  begin(call: DurableCall): Promise<Begun>;
  /** Nothing where the run is not kept. */
  resume(resuming: DurableResuming): Promise<Begun> | undefined;
}

export interface KeptBy {
  readonly agent: Agent;
  readonly setup: AgentSetup;
  readonly durable: DurableRuns | undefined;
}

/** What keeps an agent's run: its engine; where a supervisor asks for it, what keeps the supervisor's. */
export const keeperOf = ({ agent, setup, durable }: KeptBy, options: CallOptions): Keeper | undefined => {
  if (!isDelegated(options))
    return durable && { begin: (call) => beginDurably(durable, call), resume: (resuming) => resumeDurably(durable, resuming) };
  const delegating = delegatingTo(agent);
  const parts = { agent, setup };
  return (
    delegating && {
      begin: async (call) => begunOf(await beginDelegated(parts, delegating, call), call.options),
      resume: (resuming) => resumeDelegated(parts, delegating, resuming)?.then((followed) => begunOf(followed, resuming.options)),
    }
  );
};
