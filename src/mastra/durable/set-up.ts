import type { Agent } from '@mastra/core/agent';
import type { Engine } from '../../durable/journal.js';
import { noJournal } from '../../loop/no-journal.js';
import type { Journal, Run, RunOptions } from '../../loop/run.js';
import type { LoopLimits } from '../../loop/machine.js';
import type { Chunk } from '../../loop/ports.js';
import type { OnShow } from '../../stream/stream-buffer.js';
import { applyPersistedState } from '../../loop/state/persisted-state.js';
import { startRun } from '../agent/start-run.js';
import type { CallOptions } from '../call-options.js';
import { answeredBy, type ResumeOptions } from '../agent/resume.js';
import type { AgentSetup } from '../agent/read-config.js';
import { resolveOptions } from '../agent/resolve-options.js';
import { pinnedVersionFor as versionFor } from '../agent/versions.js';
import type { CodeChange } from '../options/own-options.js';
import { readContext, type PersistedCall, type PersistedEnd, type PersistedSegment } from './persisted-segment.js';

/** An agent whose runs are persisted. */
export interface PersistedAgent {
  readonly agent: Agent;
  readonly setup: AgentSetup;
}

/** An agent with an engine. */
export interface DurableAgent extends PersistedAgent {
  readonly engine: Engine;
  readonly acceptChangedCode: ((change: CodeChange) => boolean | Promise<boolean>) | undefined;
}

export interface SetUpOptions {
  /** The options of the caller that waits for the run here. */
  readonly here: CallOptions;
  readonly journal?: Journal;
  readonly show?: OnShow<Chunk>;
  /** True if the run starts here. Only then can it be recorded, because a recording includes a run's start. */
  readonly isFirstSegment?: boolean;
  /** The original limits of a continued run. */
  readonly limits?: LoopLimits | undefined;
  /** The original effects of a continued run's tools. */
  readonly effects?: RunOptions['effects'];
}

/** Creates the run of a call in this process, with the current guards, tools and models of its agent. */
export const setUp = async (
  { agent, setup }: PersistedAgent,
  call: PersistedCall,
  { here, journal, show, isFirstSegment, limits, effects }: SetUpOptions,
): Promise<Run> => {
  const { defaults, guards } = setup;
  const { runId, mode, messages } = call;
  const callOptions: CallOptions = {
    ...call.options,
    ...here,
    runId,
    requestContext: call.context ? readContext(call.context) : here.requestContext,
  };
  const { options, requestContext } = await resolveOptions({ agent, mode, defaults, given: callOptions });
  return startRun({
    ...setup,
    guards: { ...guards, effects: { ...guards.effects, ...effects } },
    agent: await versionFor(agent, requestContext),
    mode,
    messages,
    options,
    requestContext,
    journal,
    show,
    limits,
    isContinued: !isFirstSegment,
  });
};

/** The segment that resumes a suspended run with the answer of a call. Raises `agent/invalid-option` if the answer does not fit. */
export const resumedSegment = async (
  parts: PersistedAgent,
  end: PersistedEnd,
  resuming: ResumeOptions,
): Promise<PersistedSegment> => {
  const { call, state } = end;
  const answered = answeredBy(await restoredRun(parts, end), resuming);
  return { call: { ...call, mode: resuming.mode }, resumes: { state, answered } };
};

/** A suspended run, restored from its stored state for inspection. */
const restoredRun = async (parts: PersistedAgent, end: PersistedEnd): Promise<Run> => {
  const run = await setUp(parts, end.call, { here: {}, journal: noJournal }); // it does not continue here
  applyPersistedState(run, end.state);
  run.options.streamBuffer.close();
  return run;
};
