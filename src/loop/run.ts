import type { MessageList } from '@mastra/core/agent/message-list';
import type { RunEvent, RunStatus } from '../../schemas/index.js';
import { InterlockError, isInterlockError } from '../errors.js';
import type { Plan } from '../pipeline/compile.js';
import type { SystemMessage } from '../phase/host.js';
import type { Phase, PhaseData, PhaseRow } from '../phase/row.js';
import type { ProcessorSlot, RunScope } from '../phase/scope.js';
import { phaseRow } from '../phase/table.js';
import type { Outlet } from '../release/outlet.js';
import { createRecorder, type Position, type Recorder } from '../trace/recorder.js';
import type { Stop } from '../verdict.js';
import { createAnswer, type Answer } from './answer.js';
import type { LoopLimits } from './machine.js';
import type { Outcome } from './outcome.js';
import type { Chunk, LoopPorts, ModelEntry, Prompt, RunMode, StepRecord, StepSettings, TokenUsage } from './ports.js';

/** The guards of a run by lane; `memory` persists an accepted answer and runs after everything else. */
export type Lanes = Record<PhaseRow['lane'] | 'memory', Plan | undefined>;

export interface RunOptions {
  readonly runId: string;
  readonly agentId?: string;
  readonly mode: RunMode;
  readonly list: MessageList;
  readonly lanes: Lanes;
  readonly ports: LoopPorts;
  readonly settings: StepSettings;
  readonly limits: Omit<LoopLimits, 'models'>;
  readonly outlet: Outlet<Chunk>;
  readonly abortSignal?: AbortSignal;
  readonly toolConcurrency: number;
  /** What hooks get beside the loop's own: the agent and the request's contexts. */
  readonly context: Pick<RunScope, 'agent' | 'requestContext' | 'tracingContext'>;
  readonly onEvent?: (event: RunEvent) => void;
  readonly onStepFinish?: (step: StepRecord) => unknown;
  readonly onChunk?: (chunk: Chunk) => unknown;
}

/** One attempt at a step: what it sends, what came back. */
export interface Attempt {
  readonly settings: StepSettings;
  entry: ModelEntry;
  prompt: Prompt;
  /** A response that a guard had cached; the model is not called. */
  cached: PhaseData<'llmRequest'>['response'];
  answer: Answer;
  /** The provider's chunks as they came, kept where a guard asks for them. */
  rawChunks: { type: string; payload: unknown }[];
  finish: { reason: string; usage: TokenUsage; providerMetadata?: unknown } | undefined;
  request: unknown;
  response: Record<string, unknown>;
  warnings: readonly unknown[];
  started: boolean;
  /** Whether its step has been told as finished. */
  closed: boolean;
  record: StepRecord | undefined;
}

/** Everything big about a run, kept beside the machine. Works read and write it; the machine decides. */
export interface Run {
  readonly options: RunOptions;
  readonly scope: RunScope;
  readonly recorder: Recorder;
  readonly position: Position;
  readonly signal: AbortSignal;
  /** Why the last work stopped. */
  stop: Stop | undefined;
  error: unknown;
  /** System messages as each step starts with them. */
  baseSystem: readonly SystemMessage[];
  /** The conversation as the current step (or the input) started with it; a rejected attempt goes back to it. */
  backToStart: () => void;
  /** The conversation as the first step started with it; a rejected result goes back to it. */
  backToFirstStep: () => void;
  attempt: Attempt | undefined;
  readonly steps: StepRecord[];
  readonly usage: TokenUsage;
  readonly messageId: string;
  readonly usedPartIds: Set<string>;
  /** What tools returned in attempts that were rejected later: asked for again, they are not run again. */
  readonly finishedCalls: Map<string, unknown>;
  retries: number;
  recoveries: number;
  modelIndex: number;
  status: RunStatus | undefined;
}

/** Sets up a run; nothing happens yet. */
export const createRun = (options: RunOptions): Run => {
  const { ports, runId, context } = options;
  const position: Position = { stepNumber: 0, attempt: 1 };
  const recorder = createRecorder({
    runId,
    position: () => ({ ...position }),
    wallClock: ports.wallClock,
    onEvent: options.onEvent,
  });
  const slots = new Map<string, ProcessorSlot>();
  const signal = options.abortSignal ?? new AbortController().signal;
  const scope: RunScope = {
    runId,
    host: ports.host,
    ...context,
    writer: { custom: (data) => emitCustom(run, data as Chunk) },
    abortSignal: signal,
    get retryCount() {
      return run.retries;
    },
    slot: (id) => slots.get(id) ?? addSlot(slots, id),
    now: ports.now,
    reportGuard: recorder.guard,
    reportConflict: recorder.conflict,
  };
  const run: Run = {
    options,
    scope,
    recorder,
    position,
    signal,
    stop: undefined,
    error: undefined,
    baseSystem: [],
    backToStart: () => undefined,
    backToFirstStep: () => undefined,
    attempt: undefined,
    steps: [],
    usage: { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined },
    messageId: ports.createId(),
    usedPartIds: new Set(),
    finishedCalls: new Map(),
    retries: 0,
    recoveries: 0,
    modelIndex: 0,
    status: undefined,
  };
  return run;
};

const addSlot = (slots: Map<string, ProcessorSlot>, id: string): ProcessorSlot => {
  const slot = { state: {}, streamParts: [] };
  slots.set(id, slot);
  return slot;
};

/** A fresh attempt with the settings that the run was called with. */
export const createAttempt = (run: Run): Attempt => ({
  settings: { ...run.options.settings },
  entry: run.options.ports.models[run.modelIndex] as ModelEntry, // the machine counts no further than there are models
  prompt: [],
  cached: undefined,
  answer: createAnswer(),
  rawChunks: [],
  finish: undefined,
  request: undefined,
  response: {},
  warnings: [],
  started: false,
  closed: false,
  record: undefined,
});

/** The attempt that is under way; every work after `prepare` has one. */
export const currentAttempt = (run: Run): Attempt => {
  if (!run.attempt) throw new InterlockError('run/failed', { detail: 'no attempt is under way.' });
  return run.attempt;
};

/** The steps whose answers stand, in order. */
export const acceptedSteps = (run: Run): StepRecord[] => run.steps.filter((step) => !step.tripwire);

/** Whether any guard has a hook in a phase. */
export const isGuarded = (run: Run, phase: Phase): boolean => run.options.lanes[phaseRow(phase).lane]?.has(phase) ?? false;

/** What the guards of a phase made of a payload: the payload to go on with, or how the work ends. */
export type Judged<P extends Phase> = { data: PhaseData<P>; outcome?: undefined } | { data?: undefined; outcome: Outcome };

/** Runs the guards of a phase over a payload. */
export const judge = async <P extends Phase>(run: Run, data: PhaseData<P>): Promise<Judged<P>> => {
  const plan = run.options.lanes[phaseRow(data.phase as P).lane];
  return plan ? judgeWith(run, plan, data) : { data };
};

export const judgeWith = async <P extends Phase>(run: Run, plan: Plan, data: PhaseData<P>): Promise<Judged<P>> => {
  const verdict = await plan.run(data.phase as P, data, run.scope);
  switch (verdict.kind) {
    case 'pass':
      return { data };
    case 'edit':
      return { data: verdict.data };
    case 'trip':
    case 'retry':
    case 'unavailable':
      return { outcome: stopWith(run, verdict) };
    default:
      return verdict satisfies never;
  }
};

/** Notes why the work ends and says so to the machine. */
export const stopWith = (run: Run, stop: Stop): Outcome => {
  run.stop = stop;
  if (stop.kind !== 'unavailable') return { kind: stop.kind };
  return failWith(
    run,
    isInterlockError(stop.error)
      ? stop.error
      : new InterlockError('guard/unavailable', {
          path: `${stop.phase} ${stop.path}`,
          detail: stop.error instanceof Error ? stop.error.message : String(stop.error),
          cause: stop.error,
        }),
  );
};

export const failWith = (run: Run, error: unknown): Outcome => {
  run.error = error;
  return { kind: 'failed' };
};

/** What hooks get as `steps`; the host's type of a step is wider than any hook can rely on. */
export const stepsForHooks = (run: Run): never[] => [...run.steps] as never[];

/** Lets a chunk out; waits where the reader is behind. */
export const release = (run: Run, chunk: Chunk): Promise<void> | undefined => {
  run.options.onChunk?.(chunk);
  return run.options.outlet.write(chunk);
};

/** A chunk of the loop's own making. */
export const agentChunk = (run: Run, type: string, payload: unknown): Chunk => ({
  type,
  runId: run.options.runId,
  from: 'AGENT',
  payload,
});

/** Sends a chunk through the stream's guards and lets out what they leave of it. */
export const releaseJudged = async (run: Run, chunk: Chunk): Promise<Judged<'outputStream'>> => {
  const judged = await judge<'outputStream'>(run, streamPayload(run, chunk));
  if (judged.data?.part) await release(run, judged.data.part as Chunk);
  return judged;
};

export const streamPayload = (run: Run, part: unknown): PhaseData<'outputStream'> => ({
  phase: 'outputStream',
  part,
  streamParts: [],
  state: {},
  messageList: run.options.list,
});

const emitCustom = async (run: Run, chunk: Chunk): Promise<void> => {
  if (typeof chunk?.type !== 'string' || !chunk.type.startsWith('data-'))
    throw new InterlockError('phase/invalid-data-part', { path: 'writer.custom', detail: `the type is "${chunk?.type}".` });
  const judged = await releaseJudged(run, { runId: run.options.runId, from: 'AGENT', ...chunk });
  // A guard that stops on a data part stops the run; whoever wrote it learns of it by the error.
  if (judged.outcome) throw run.stop && run.stop.kind !== 'unavailable' ? tripWireOf(run, run.stop) : run.error;
};

const tripWireOf = (run: Run, stop: Exclude<Stop, { kind: 'unavailable' }>): Error =>
  run.options.ports.host.createTripWire({
    reason: stop.reason,
    retry: stop.kind === 'retry',
    metadata: stop.metadata,
    processorId: stop.processorId,
  });
