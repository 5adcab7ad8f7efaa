import type { Agent } from '@mastra/core/agent';
import type { Engine } from '../../durable/journal.js';
import type { Chunk } from '../../loop/ports.js';
import type { Journal, Run } from '../../loop/run.js';
import { beginRun } from '../agent/begin-run.js';
import type { CallOptions } from '../agent/call-options.js';
import type { AgentSetup } from '../agent/read-config.js';
import { resolveOptions } from '../agent/resolve-options.js';
import type { CodeChange } from './code-change.js';
import { readContext, type KeptCall } from './kept-sitting.js';

/** An agent whose runs an engine keeps. */
export interface DurableAgent {
  readonly agent: Agent;
  readonly setup: AgentSetup;
  readonly engine: Engine;
  readonly acceptChangedCode: ((change: CodeChange) => boolean | Promise<boolean>) | undefined;
}

export interface SettingUp {
  /** What whoever waits for the run wants of it here. */
  readonly here: CallOptions;
  readonly journal?: Journal;
  /** Told of each chunk once it can be seen. */
  readonly show?: (chunk: Chunk) => void;
  /** Whether this is where the run begins: a recording tells a run from there, and is begun nowhere else. */
  readonly isBeginning?: boolean;
}

/** Makes the run of a call in this process, with the agent's guards, tools and models as they are here. */
export const setUp = async (
  { agent, setup }: DurableAgent,
  call: KeptCall,
  { here, journal, show, isBeginning }: SettingUp,
): Promise<Run> => {
  const { hooks, defaults, maxModelRetries } = setup;
  const guards = isBeginning ? setup.guards : { ...setup.guards, record: undefined };
  const { runId, mode, messages } = call;
  const given: CallOptions = {
    ...call.options,
    ...here,
    ...(!isBeginning && { record: undefined }),
    runId,
    requestContext: readContext(call.context),
  };
  const { options, requestContext } = await resolveOptions({ agent, mode, defaults, given });
  return beginRun({ agent, guards, hooks, maxModelRetries, mode, messages, options, requestContext, journal, show });
};
