import { stringify } from 'safe-stable-stringify';
import type { GuardCall, GuardSpan } from '../phase/scope.js';
import type { Position } from '../trace/recorder.js';
import type { TraceEntry } from '../../schemas/index.js';
import { traceOfKind, type Trace } from '../trace/traces.js';
import { freeze, freezeContent, type Frozen } from '../trace/contents.js';
import { fromPlainJson, toPlainJson, type MapText } from '../trace/plain-json.js';
import { createTape } from '../trace/replay.js';
import type { Chunk, LoopPorts, ModelRequest, ModelResponse, StepRuling } from './ports.js';
import { type ToolCall, type ToolOutcome, refusedCall } from './tool-call.js';
import { requestFacts } from './record-ports.js';

/** The position where a replay ended because its next request was never recorded. */
export interface ReplayEnd extends Position {
  /** The data that is missing from the trace. */
  readonly reason: string;
}

interface StageOptions {
  readonly position: () => Position;
  /** Ends the run. */
  readonly abort: (reason: unknown) => void;
  /** Cancels the run if the record contains a cancel at this point; otherwise returns false. */
  readonly cancel: () => boolean;
  /** Lets pending work proceed. */
  readonly pause: () => Promise<unknown>;
}

/** The number of pauses without activity that count as a standstill. */
const mostQuiet = 3;

/** The environment of a replayed run. A stand-in without a recorded response reports that here. */
export type ReplayStage = ReturnType<typeof createReplayStage>;

/** Creates the stage for one replay. */
export const createReplayStage = ({ position, abort, cancel, pause }: StageOptions) => {
  const atWork = new Set<GuardCall>();
  let ended: ReplayEnd | undefined;
  let lines = 0;
  const end = (reason: string): Promise<never> => {
    if (!ended) {
      ended = { ...position(), reason };
      abort(new Error(`The replay ended: ${reason}`));
    }
    return new Promise(() => undefined);
  };
  const isBusy = (): boolean => [...atWork].some(({ scope }) => !scope.abortSignal?.aborted);
  const standstill = async (abortSignal: AbortSignal): Promise<boolean> => {
    for (let quiet = 0, seen = lines; quiet < mostQuiet; quiet += 1) {
      await pause();
      if (abortSignal.aborted) return false;
      if (lines !== seen || isBusy()) quiet = -1;
      seen = lines;
    }
    return true;
  };
  return {
    /** Ends the replay, because the record lacks what would have followed. Returns a promise that never settles. */
    end,
    /**
     * Waits until the signal is aborted. When nothing else can happen, the caller aborts if the record contains a cancel; otherwise the
     * replay ends.
     */
    wait: async (abortSignal: AbortSignal, reason: string) => {
      if (abortSignal.aborted) return;
      const aborted = new Promise<void>((resolve) => abortSignal.addEventListener('abort', () => resolve(), { once: true }));
      const isStill = await Promise.race([standstill(abortSignal), aborted]);
      if (isStill && !cancel()) void end(reason);
      await aborted;
    },
    /** Counts guards that are running. */
    openSpan: (call: GuardCall): GuardSpan => {
      atWork.add(call);
      return { scope: call.scope, end: () => void atWork.delete(call) };
    },
    /** Called for each line that the replayed run writes. */
    onLine: () => void (lines += 1),
    get ended() {
      return ended;
    },
  };
};

type OfKind<K extends TraceEntry['kind']> = Extract<TraceEntry, { kind: K }>;

/** The source of a replay's responses. */
interface ReplaySource {
  readonly trace: Trace;
  readonly runId: string;
  readonly stage: ReplayStage;
  readonly conceal: MapText;
  /** Replaces concealed secrets with stand-ins. */
  readonly reveal: MapText | undefined;
}

/**
 * The ports of a replayed run: models, tools and people repeat their recorded responses to recorded requests. The replay ends at a
 * request that was not recorded.
 */
export const createReplayPorts = (
  source: ReplaySource,
): Pick<LoopPorts, 'callModel' | 'toChunk' | 'makeCall' | 'runTool' | 'needsApproval' | 'shouldStop' | 'afterStep'> => {
  const { trace, stage } = source;
  const calls = createTape(recordedCalls(trace));
  const approvals = createTape(traceOfKind(trace, 'approval'));
  const stops = createTape(traceOfKind(trace, 'stop-condition'));
  const rulings = traceOfKind(trace, 'after-step');
  return {
    callModel: (request) => {
      const key = keyOfRequest(request, source.conceal);
      const call = calls((one) => one.key === key);
      return call ? answerOf(call, request, source) : stage.end('the model was never asked this.');
    },
    toChunk: (chunk) => chunk as Chunk, // they were recorded as chunks
    makeCall: ({ call: { toolName, args } }) => refusedCall(toolName, args) ?? { args }, // others were recorded as made
    runTool: replayTools(source),
    needsApproval: async ({ call: { toolCallId, toolName } }) => {
      const recorded = approvals((one) => one.toolCallId === toolCallId);
      return recorded ? recorded.isNeeded : stage.end(`whether ${toolName} needs approval was never asked.`);
    },
    shouldStop: () => stops(() => true)?.holds ?? false,
    ...(rulings.length > 0 && { afterStep: replayAfterStep(rulings, source) }),
  };
};

const replayAfterStep = (rulings: readonly OfKind<'after-step'>[], { stage, reveal }: ReplaySource): LoopPorts['afterStep'] => {
  const tape = createTape(rulings);
  return async () => {
    const ruling = tape(() => true);
    if (!ruling) return stage.end('the application was never asked about this step.');
    const { goesOn, feedback, chunks } = ruling;
    const decoded = fromPlainJson(
      { ...(feedback !== undefined && { feedback }), ...(chunks !== undefined && { chunks }) },
      reveal,
    );
    return { shouldContinue: goesOn, ...(decoded as Pick<StepRuling, 'feedback' | 'chunks'>) }; // as it was recorded
  };
};

interface RecordedCall {
  readonly key: string;
  readonly opened: OfKind<'opened'> | undefined;
  readonly chunks: readonly unknown[];
  readonly ended: OfKind<'ended'> | undefined;
}

/** The recorded model calls with their requests. */
const recordedCalls = (trace: Trace): RecordedCall[] => {
  const freezeIt = freezeContent(trace);
  const [opened, received, ended] = [traceOfKind(trace, 'opened'), traceOfKind(trace, 'came'), traceOfKind(trace, 'ended')];
  return traceOfKind(trace, 'prompt').flatMap((prompt) => {
    const isOfCall = ({ call }: { call: number }): boolean => call === prompt.call;
    if (!prompt.request) return [];
    return {
      key: requestKey(prompt, freezeIt(prompt.request)),
      opened: opened.find(isOfCall),
      chunks: received.filter(isOfCall).map(({ chunk }) => chunk),
      ended: ended.find(isOfCall),
    };
  });
};

const keyOfRequest = (request: ModelRequest, conceal?: MapText): string =>
  requestKey(request.entry.model, freeze(requestFacts(request), conceal));

/** The provider's record of its response. */
const openedAs = ({ response, warnings }: Partial<OfKind<'opened'>>): Omit<ModelResponse, 'parts'> => ({
  response: fromPlainJson(response),
  warnings: fromPlainJson(warnings ?? []) as unknown[],
});

const cutOff = 'the replay needs more of the model’s response than was recorded.';

const answerOf = async (call: RecordedCall, { abortSignal }: ModelRequest, source: ReplaySource): Promise<ModelResponse> => {
  const { opened, ended } = call;
  if (!opened) return fail(ended, abortSignal, source.stage);
  return { parts: partsOf(call, abortSignal, source), ...openedAs(opened) };
};

/** Ends a call without further chunks as recorded: with its error, or with an abort. */
const fail = async (ended: RecordedCall['ended'], abortSignal: AbortSignal, stage: ReplayStage): Promise<never> => {
  if (!ended) await stage.wait(abortSignal, cutOff);
  throw ended ? fromPlainJson(ended.error) : abortSignal.reason;
};

const partsOf = (
  { chunks, ended }: RecordedCall,
  abortSignal: AbortSignal,
  { runId, stage }: ReplaySource,
): ReadableStream<unknown> => {
  const rest = chunks.values();
  const pull = async (controller: ReadableStreamDefaultController<unknown>): Promise<void> => {
    const { done, value } = rest.next();
    if (!done) return controller.enqueue({ ...(fromPlainJson(value) as Chunk), runId });
    if (ended && !ended.isFailed) return controller.close();
    return fail(ended, abortSignal, stage);
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
};

const replayTools = ({ trace, stage, conceal, reveal }: ReplaySource): LoopPorts['runTool'] => {
  const outcomes = createTape(traceOfKind(trace, 'tool'));
  const written = createTape(traceOfKind(trace, 'wrote'));
  const started = createTape(
    traceOfKind(trace, 'event').flatMap(({ event, seq }) =>
      event.type === 'tool-start' ? [{ seq, toolCallId: event.toolCallId }] : [],
    ),
  );
  return async ({ call, write, abortSignal }) => {
    const { toolCallId, toolName } = call;
    const isOfCall = (one: { toolCallId: string }): boolean => one.toolCallId === toolCallId;
    const start = started(isOfCall);
    const outcome = outcomes(isEqualTo(call, conceal));
    if (!start || (!outcome && traceOfKind(trace, 'tool').some(isOfCall)))
      return stage.end(`${toolName} was never called with this.`);
    for (let wrote = take(); wrote; wrote = take()) await write(fromPlainJson(wrote.chunk, reveal) as Chunk);
    function take(): OfKind<'wrote'> | undefined {
      return written((one) => isOfCall(one) && one.seq < (outcome?.seq ?? Infinity));
    }
    if (!outcome || outcome.isAborted) await stage.wait(abortSignal, `${toolName} had not ended when the run was recorded.`);
    return outcome ? endOf(outcome, reveal) : new Promise(() => undefined);
  };
};

/** Whether a recorded call is equal to a call. */
const isEqualTo = ({ toolCallId, toolName, args }: ToolCall, conceal?: MapText): ((recorded: OfKind<'tool'>) => boolean) => {
  const own = stringify(toPlainJson(args, conceal));
  return (one) => one.toolCallId === toolCallId && one.toolName === toolName && stringify(one.args) === own;
};

/** The recorded outcome of a tool, as the tool gave it. */
const endOf = ({ ended, outcome }: OfKind<'tool'>, reveal: MapText | undefined): ToolOutcome => {
  const facts = fromPlainJson(outcome, reveal) as object;
  if (ended === 'thrown') throw (facts as { error: unknown }).error;
  return { kind: ended, ...facts } as ToolOutcome; // as it was recorded
};

/**
 * The ports of a run that forks from a recorded one. Models and tools repeat their recorded responses while the requests are the same,
 * and are called from the first new request on. Requests that were cut off or failed in the record are made again.
 */
export const forkPorts = (ports: LoopPorts, trace: Trace, runId: string): LoopPorts => {
  const calls = createTape(recordedCalls(trace).filter(({ opened, ended }) => opened && ended && !ended.isFailed));
  const outcomes = createTape(traceOfKind(trace, 'tool').filter(({ ended, isAborted }) => ended !== 'suspended' && !isAborted));
  const recorded = new WeakSet<object>();
  let isLive = false;
  return {
    ...ports,
    callModel: async (request) => {
      const key = keyOfRequest(request);
      const call = isLive ? undefined : calls((one) => one.key === key);
      isLive ||= !call;
      if (!call) return ports.callModel(request);
      const chunks = call.chunks.map((chunk): Chunk => ({ ...(fromPlainJson(chunk) as Chunk), runId }));
      for (const chunk of chunks) recorded.add(chunk);
      return { parts: ReadableStream.from(chunks), ...openedAs(call.opened ?? {}) };
    },
    toChunk: (part, id) => (recorded.has(part as object) ? (part as Chunk) : ports.toChunk(part, id)), // the recorded ones are chunks
    runTool: async (request) => {
      const outcome = isLive ? undefined : outcomes(isEqualTo(request.call));
      return outcome ? endOf(outcome, undefined) : ports.runTool(request);
    },
  };
};

/** Models do not see the times of messages. */
const withoutTimes = (key: string, value: unknown): unknown => (key === 'createdAt' ? undefined : value);

/** Requests with equal keys are equal to the model. */
const requestKey = ({ modelId, provider }: { modelId: string; provider: string }, { lists, values }: Frozen): string =>
  stringify(
    [modelId, provider, [...lists].map(([name, list]) => [name, list.map((json): unknown => JSON.parse(json))]), values],
    withoutTimes,
  ) ?? '';
