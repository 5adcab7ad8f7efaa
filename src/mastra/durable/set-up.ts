import type { Agent } from '@mastra/core/agent';
import type { Engine } from '../../durable/journal.js';
import { noJournal } from '../../loop/journal.js';
import type { LoopLimits } from '../../loop/machine.js';
import type { Chunk } from '../../loop/ports.js';
import type { Journal, Run } from '../../loop/run.js';
import { writeKept } from '../../loop/state/kept-state.js';
import { beginRun } from '../agent/begin-run.js';
import type { CallOptions } from '../call-options.js';
import type { AgentSetup } from '../agent/read-config.js';
import { resolveOptions } from '../agent/resolve-options.js';
import type { CodeChange } from '../options/own-options.js';
import { readContext, type KeptCall, type KeptEnd } from './kept-sitting.js';

/** An agent whose runs are kept. */
export interface KeptAgent {
  readonly agent: Agent;
  readonly setup: AgentSetup;
}

/** An agent whose runs an engine keeps. */
export interface DurableAgent extends KeptAgent {
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
  /** The limits that the run began with, when it continues. */
  readonly limits?: LoopLimits;
}

/** Makes the run of a call in this process, with the agent's guards, tools and models as they are here. */
export const setUp = async (
  { agent, setup }: KeptAgent,
  call: KeptCall,
  { here, journal, show, isBeginning, limits }: SettingUp,
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
  return beginRun({
    agent,
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

/** A run that rests, made again of what is left of it, to be looked at. */
export const restoredRun = async (parts: KeptAgent, end: KeptEnd): Promise<Run> => {
  if (!end.state) throw end.error;
  const run = await setUp(parts, end.call, { here: {}, journal: noJournal }); // it does not go on here
  writeKept(run, end.state);
  run.options.outlet.close();
  return run;
};
