import { setTimeout as sleep } from 'node:timers/promises';
import type { Durable, Engine } from '../../durable/journal.js';
import { InterlockError } from '../../errors.js';
import { applyCallResponse, noJournal } from '../../loop/create-run.js';
import type { Run, RunOptions } from '../../loop/run.js';
import { checkFormat, journalFormat } from '../../loop/state/encode.js';
import { applyPersistedState } from '../../loop/state/persisted-state.js';
import { resumed } from '../../loop/state/run-state.js';
import type { CodeChange } from '../options/own-options.js';
import { stored, type PersistedSegment, type PersistedCall, type PersistedEnd } from './persisted-segment.js';
import type { StoredRuns } from './run-operations.js';
import type { LocalRuns } from './local-runs.js';
import { changesBetween, definitionOf, type RunDefinition } from './run-definition.js';
import type { Agent } from '@mastra/core/agent';
import { startRun } from '../agent/start-run.js';
import type { CallOptions } from '../call-options.js';
import { answeredBy, type ResumeOptions } from '../agent/resume.js';
import type { AgentSetup } from '../agent/read-config.js';
import { resolveOptions } from '../agent/resolve-options.js';
import { pinnedVersionFor as versionFor } from '../agent/read-call.js';
import { RequestContext } from '@mastra/core/request-context';

/** A stored segment of a run that will start or continue. */
interface PersistedStartOptions extends Pick<DurableAgent, 'acceptChangedCode'> {
  readonly durable: Durable;
  readonly segment: PersistedSegment;
  /** Creates the run in this process, in its initial state. */
  make(options: MakeOptions): Promise<Run>;
}

/** `limits` and `effects`: those that a continued run started with. */
export type MakeOptions = Pick<SetUpOptions, 'isFirstSegment' | 'limits' | 'effects'>;

/** The start of a run segment, or the error that prevented it. */
export const storedStart = stored<
  (RunDefinition & { readonly format: number; readonly messageId: string }) | { readonly error: unknown }
>('begin');

/**
 * Sets a run up. A failure of the first setup is persisted; a failure of a later one is not. A continued run keeps its original
 * definition, also after a suspension: the journal is only valid under it. Rejects with `durable/changed-code` or
 * `durable/unknown-format`.
 */
export const startPersistedRun = async (options: PersistedStartOptions) => {
  const { durable, make, segment } = options;
  const { call, resumes } = segment;
  const { runId, definition: known } = call;
  let run: Run | undefined;
  const text = await durable.step('begin', async () => {
    try {
      run = await make({ isFirstSegment: !resumes, limits: known?.limits, effects: known?.effects });
      const { messageId } = run.state;
      return storedStart.write({ format: journalFormat, ...(known ?? definitionOf(run)), messageId });
    } catch (error) {
      return storedStart.write({ error });
    }
  });
  const start = storedStart.read(text, runId);
  if ('error' in start) return start;
  const { format, messageId, ...definition } = start;
  checkFormat(format, runId);
  const isRecovered = run === undefined;
  run ??= await make({ isFirstSegment: false, limits: definition.limits, effects: definition.effects });
  run.change({ messageId }); // stored first
  await checkCode(options, run, definition);
  if (resumes) {
    applyPersistedState(run, resumed(resumes.state));
    if (resumes.answered) applyCallResponse(run, resumes.answered);
  }
  /** The segment; its call contains the definition at the run's start. */
  const started: PersistedSegment = { ...segment, call: { ...call, definition } };
  return { run, isRecovered, segment: started };
};

/** Settles if the run may continue: with its original code, with other code that is accepted, or only to end as canceled. */
const checkCode = async (options: PersistedStartOptions, run: Run, definition: RunDefinition): Promise<void> => {
  const { acceptChangedCode, durable, segment } = options;
  const { runId } = segment.call;
  const here = definitionOf(run);
  const [{ length }, needed] = [run.options.ports.models, definition.limits.models];
  const hasModels = length >= needed; // a journal refers to them by index
  const models = hasModels ? [] : [`it began with ${needed} models, and the agent now has ${length}`];
  const change: CodeChange = {
    runId,
    from: definition.code,
    to: here.code,
    changes: [...changesBetween(definition, here), ...models],
  };
  if (hasModels && (change.from === change.to || (await acceptChangedCode?.(change)))) return;
  if (segment.resumes && !segment.resumes.answered) return; // it is only to end
  await durable.lookForCancel?.();
  await sleep(cancelPollMs, undefined, { signal: durable.canceled }).catch(() => undefined);
  if (durable.canceled.aborted) return;
  throw new InterlockError('durable/changed-code', {
    path: runId,
    detail: `started by ${change.from}, this process has ${change.to}: ${change.changes.join('; ')}.`,
    cause: change,
  });
};

/** Time that a process waits for a cancellation before it rejects a run: engines deliver it with a short delay. */
const cancelPollMs = 500;

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

/** The context of an agent's runs on an engine. */
export interface DurableContext extends StoredRuns {
  readonly parts: DurableAgent;
  readonly localRuns: LocalRuns;
}

interface SetUpOptions extends Pick<Parameters<typeof startRun>[0], 'journal' | 'show' | 'limits' | 'resumedFrom'> {
  /** The options of the caller that waits for the run here. */
  readonly here: CallOptions;
  /** True if the run starts here. Only then can it be recorded, because a recording includes a run's start. */
  readonly isFirstSegment?: boolean;
  /** The original effects of a continued run's tools. */
  readonly effects?: RunOptions['effects'];
}

/** Creates the run of a call in this process, with the current guards, tools and models of its agent. */
export const setUp = async (
  { agent, setup }: PersistedAgent,
  call: PersistedCall,
  { here, isFirstSegment, effects, ...start }: SetUpOptions,
): Promise<Run> => {
  const { defaults, guards } = setup;
  const { runId, mode, messages } = call;
  const context = call.context ? new RequestContext<unknown>(call.context) : here.requestContext;
  const given: CallOptions = { ...call.options, ...here, runId, requestContext: context };
  const { options, requestContext } = await resolveOptions({ agent, mode, defaults, given });
  return startRun({
    ...setup,
    ...start,
    guards: { ...guards, effects: { ...guards.effects, ...effects } },
    agent: await versionFor(agent, requestContext),
    mode,
    messages,
    options,
    requestContext,
    isContinued: !isFirstSegment,
  });
};

/** The segment that resumes a suspended run with the answer of a call. Raises `agent/invalid-option` if the answer does not fit. */
export const resumedSegment = async (
  parts: PersistedAgent,
  { call, state, span }: PersistedEnd,
  resuming: ResumeOptions,
): Promise<PersistedSegment> => {
  const run = await setUp(parts, call, { here: {}, journal: noJournal }); // it does not continue here
  applyPersistedState(run, state);
  run.options.streamBuffer.close();
  const answered = answeredBy(run, resuming);
  return { call: { ...call, mode: resuming.mode }, resumes: { state, answered, ...(span && { span }) } };
};
