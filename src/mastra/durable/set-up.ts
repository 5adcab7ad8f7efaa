import type { Agent } from '@mastra/core/agent';
import type { Engine } from '../../durable/journal.js';
import { noJournal } from '../../loop/journal.js';
import type { LoopLimits } from '../../loop/machine.js';
import type { Chunk } from '../../loop/ports.js';
import type { Journal, Run } from '../../loop/run.js';
import type { OnShow } from '../../stream/stream-buffer.js';
import { applyPersistedState } from '../../loop/state/persisted-state.js';
import { startRun } from '../agent/start-run.js';
import type { CallOptions } from '../call-options.js';
import type { AgentSetup } from '../agent/read-config.js';
import { resolveOptions } from '../agent/resolve-options.js';
import { pinnedVersionFor } from '../agent/versions.js';
import type { CodeChange } from '../options/own-options.js';
import { readContext, type PersistedCall, type SegmentEnd } from './persisted-segment.js';

/** An agent whose runs are kept. */
export interface PersistedAgent {
  readonly agent: Agent;
  readonly setup: AgentSetup;
}

/** An agent whose runs an engine keeps. */
export interface DurableAgent extends PersistedAgent {
  readonly engine: Engine;
  readonly acceptChangedCode: ((change: CodeChange) => boolean | Promise<boolean>) | undefined;
}

export interface SetUpOptions {
  /** The options of the caller that waits for the run here. */
  readonly here: CallOptions;
  readonly journal?: Journal;
  readonly show?: OnShow<Chunk>;
  /** Whether the run starts here: a recording contains a run from its start, and starts only here. */
  readonly isBeginning?: boolean;
  /** The limits that the run began with, when it continues. */
  readonly limits?: LoopLimits;
}

/** Makes the run of a call in this process, with the agent's guards, tools and models as they are here. */
export const setUp = async (
  { agent, setup }: PersistedAgent,
  call: PersistedCall,
  { here, journal, show, isBeginning, limits }: SetUpOptions,
): Promise<Run> => {
  const { guards, hooks, defaults, maxModelRetries } = setup;
  const { runId, mode, messages } = call;
  const given: CallOptions = {
    ...call.options,
    ...here,
    runId,
    requestContext: call.context ? readContext(call.context) : here.requestContext,
  };
  const { options, requestContext } = await resolveOptions({ agent, mode, defaults, given });
  return startRun({
    agent: await pinnedVersionFor(agent, requestContext),
    guards,
    hooks,
    maxModelRetries,
    mode,
    messages,
    options,
    requestContext,
    journal,
    show,
    limits,
    isContinued: !isBeginning,
  });
};

/** A suspended run, made again of what is left of it, to be looked at. */
export const restoredRun = async (parts: PersistedAgent, end: SegmentEnd): Promise<Run> => {
  if (!end.state) throw end.error;
  const run = await setUp(parts, end.call, { here: {}, journal: noJournal }); // it does not go on here
  applyPersistedState(run, end.state);
  run.options.streamBuffer.close();
  return run;
};
