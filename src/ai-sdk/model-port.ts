import { findsNothing } from '../guard/pattern-row.js';
import { patternOf } from '../guard/pattern.js';
import type { LoopPorts, PartSource } from '../loop/ports.js';
import { createProviderClock, isContent } from '../loop/provider-clock.js';
import { changeAttempt, type Run as LoopRun } from '../loop/run.js';
import { processorsOf } from '../pipeline/graph.js';
import { argumentsOf } from '../stream/gate/chunk.js';
import { modelCodec, type ChunkCodec } from './chunks.js';
import { makePart } from './make-part.js';
import type { MadeCall } from '../loop/tool-call.js';
import type { Run } from './run.js';
import type { CallableModel, CallOptions, Chunk, GenerateResult, PartOf, Prompt, StreamPart } from './spec.js';
import { createGathering, partsOfContent, type Gathering } from './wire.js';
import { fieldsIn } from '../phase/plain-data.js';

/** A guarded call of a model. */
export interface ModelCall {
  readonly model: CallableModel;
  readonly params: CallOptions;
  readonly mode: 'generate' | 'stream';
  /** Aborted when the caller or its reader cancels. */
  readonly signal: AbortSignal;
}

/** A provider's output in one call; the loop's chunks are made from it. */
export interface ModelReply {
  request?: unknown;
  response?: object;
  start?: PartOf<'stream-start'>;
  finish: PartOf<'finish'> | undefined;
  /** A failure that the provider itself reported; undefined if the call broke off. */
  failure: { readonly error: unknown } | undefined;
  /** Whether its stream ended without content and finish part: the AI SDK reports that. */
  isEmpty: boolean;
  /** The response before the stream guards, if the caller requests the provider's own record of it. */
  received: Gathering | undefined;
  /** That record: it contains text that guards may remove. */
  raws: PartOf<'raw'>[];
  /** The original part of each chunk. */
  readonly parts: WeakMap<Chunk, StreamPart>;
  /** The calls that parts and their chunks make. */
  readonly calls: WeakMap<object, MadeCall>;
  /** Converts parts; a call's chunk has its made arguments. */
  readonly codec: ChunkCodec<StreamPart>;
  /** The parts in their original order, of a response whose parts wait. */
  order: StreamPart[];
  /** Whether a part came that waits for the review, and with it all that follow. */
  isWaiting: boolean;
}

/** A reply before its call. */
export const createReply = (isWaiting: boolean): ModelReply => {
  const calls = new WeakMap<object, MadeCall>();
  const toChunk: ChunkCodec<StreamPart>['toChunk'] = (part, runId) => {
    const [chunk, call] = [modelCodec.toChunk(part, runId), part.type === 'tool-call' ? calls.get(part) : undefined];
    return chunk && call && !call.refusal ? { ...chunk, payload: { ...fieldsIn(chunk.payload), args: call.args } } : chunk;
  };
  return { ...unsent(isWaiting), parts: new WeakMap(), calls, codec: { ...modelCodec, toChunk } };
};

const unsent = (isWaiting: boolean) => ({
  received: undefined,
  raws: [],
  order: [],
  isWaiting,
  finish: undefined,
  failure: undefined,
  isEmpty: false,
});

/** The phases that judge a model's output. */
const outputPhases = ['outputStream', 'llmResponse', 'outputStep', 'outputResult', 'toolResult'] as const;

/** Whether guards may remove content of a response: then it must not be emitted in another way either. */
export const guardsOutput = ({ plan }: Run): boolean => outputPhases.some((phase) => plan.has(phase));

/** Whether guards with patterns find nothing in a chunk. */
export const isClean = async ({ plan }: Run, chunk: { type: string; payload: object }): Promise<boolean> => {
  for (const pattern of processorsOf(plan.graph).map(patternOf))
    if (pattern && !(await findsNothing(pattern, chunk))) return false;
  return true;
};

/** The same for the provider's own record of a response, which is read like its metadata. */
export const isCleanRecord = (run: Run, providerMetadata: unknown): Promise<boolean> =>
  isClean(run, { type: 'finish', payload: { providerMetadata } });

/** Whether the parts of a response are emitted only after the review: then they keep their original order. */
export const leavesTogether = ({ hold }: Run, { mode }: ModelCall): boolean => hold === 'step' || mode === 'generate';

/** Whether a part, and all that follow, wait for the review: a call that the provider runs itself, and its result, if it may change them. */
const opensWait = ({ plan }: Run, part: StreamPart): boolean => {
  if (part.type === 'tool-approval-request') return outputPhases.some((phase) => plan.has(phase));
  const isOfProvider = part.type === 'tool-result' || (part.type === 'tool-call' && part.providerExecuted === true);
  return isOfProvider && judgesLater({ plan });
};

/** Whether guards may change or reject a call after the stream guards. */
export const judgesLater = ({ plan }: Pick<Run, 'plan'>): boolean =>
  outputPhases.some((phase) => phase !== 'outputStream' && plan.has(phase));

/**
 * Whether a chunk waits for the review. A call of the client always does, if a guard judges the response, because its tool must not start.
 * Its streamed arguments do if guards may change it then. What follows keeps its place.
 */
export const waits = (run: Run, reply: ModelReply, chunk: Chunk): boolean => {
  const isCall = chunk.type === 'tool-call' && !fieldsIn(chunk.payload)['providerExecuted'];
  reply.isWaiting ||= isCall ? guardsOutput(run) : argumentsOf(chunk) !== undefined && judgesLater(run);
  return reply.isWaiting;
};

/** Whether the caller gets the provider's own record of a guarded response: raw chunks, or its body. */
const keepsRecord = (run: Run, { params }: ModelCall, response: object = {}): boolean =>
  guardsOutput(run) && ('body' in response || params.includeRawChunks === true);

interface ModelPortOptions {
  readonly run: Run;
  readonly call: ModelCall;
  readonly reply: ModelReply;
  readonly loopOf: () => LoopRun;
  /** Call this when the provider has started to respond. */
  readonly onOpened: () => void;
}

/** The loop's model port over `doGenerate` and `doStream`. */
export const createModelPort = ({
  run,
  call,
  reply,
  loopOf,
  onOpened,
}: ModelPortOptions): Pick<LoopPorts, 'callModel' | 'makeCall' | 'toChunk'> => ({
  makeCall: ({ call: { args }, call: payload }) => reply.calls.get(payload) ?? { args },
  callModel: async ({ prompt, abortSignal }) => {
    const { model, params, mode } = call;
    Object.assign(reply, unsent(leavesTogether(run, call)));
    const options = { ...params, prompt: prompt as unknown as Prompt, abortSignal }; // Mastra types a prompt by an older specification
    const result = mode === 'stream' ? await model.doStream(options) : await model.doGenerate(options);
    const { request, response } = result;
    Object.assign(reply, { request, response, received: keepsRecord(run, call, response) ? createGathering() : undefined });
    onOpened();
    const parts = 'stream' in result ? withTimeouts(run, result.stream) : sourceOf(partsOfResult(result));
    return { parts: asRead(run, { params: options, reply, parts }), request, response };
  },
  toChunk: (given, runId) => {
    const part = given as StreamPart; // of the model's stream
    if (part.type === 'stream-start') {
      reply.start = part;
      changeAttempt(loopOf(), { warnings: part.warnings });
      return undefined;
    }
    if (part.type === 'error') reply.failure = { error: part.error };
    else if (part.type === 'finish') reply.finish = part;
    if (part.type === 'raw' && reply.received) return void reply.raws.push(part);
    reply.received?.add(part);
    const chunk = reply.codec.toChunk(part, runId);
    if (chunk) reply.parts.set(chunk, part);
    const made = part.type === 'tool-call' ? reply.calls.get(part) : undefined;
    if (chunk && made) reply.calls.set(chunk.payload as object, made);
    reply.isWaiting ||= opensWait(run, part);
    if (reply.isWaiting) reply.order.push(part);
    return chunk;
  },
});

interface Received {
  readonly params: CallOptions;
  readonly reply: ModelReply;
  readonly parts: PartSource;
}

/**
 * A response as the AI SDK reads it, with its calls made before any guard gets them. A stream may break off without a finish part: then it
 * has the reason `other`, if it has content. The finish part that follows an error of the provider is read at once; parts between them
 * belong to no response.
 */
const asRead = (run: Run, { params, reply, parts }: Received): PartSource => ({
  getReader: () => {
    const reader = parts.getReader();
    let hasContent = false;
    const settle = async (next: Next, part: StreamPart): Promise<Next> => {
      if (part.type === 'error') reply.finish = await finishAfter(reader);
      const call = part.type === 'tool-call' ? await makePart(run, part, params) : undefined;
      if (!call) return next;
      reply.calls.set(call.part, call.made);
      return { ...next, value: call.part };
    };
    const take = (next: Next): Next | Promise<Next> => {
      const part = next.value as StreamPart | undefined; // of the model's stream
      hasContent ||= isContent(part);
      if (part?.type === 'error' || part?.type === 'tool-call') return settle(next, part);
      reply.isEmpty = next.done && !hasContent && !reply.finish;
      return next.done && hasContent && !reply.finish ? { done: false, value: finishFor('other') } : next;
    };
    return { read: () => reader.read().then(take), cancel: (reason) => reader.cancel(reason) };
  },
});

type Reader = ReturnType<PartSource['getReader']>;
type Next = Awaited<ReturnType<Reader['read']>>;

/** Ends the run once the provider is silent for too long. */
const withTimeouts = ({ state: { chunkTimeouts }, leaving }: Run, parts: PartSource): PartSource => {
  if (!chunkTimeouts) return parts;
  const clock = createProviderClock(chunkTimeouts, (limit, ms) => {
    const chunk = limit === 'chunkMs' ? 'Chunk' : 'First chunk';
    leaving.abort(new DOMException(`${chunk} timeout of ${ms}ms exceeded`, 'TimeoutError')); // as the AI SDK's
  });
  return clock.read(parts);
};

/** Parts that are already available. */
export const sourceOf = (parts: Generator<StreamPart, undefined>): PartSource => ({
  getReader: () => ({ read: async () => parts.next() as { done: boolean; value?: StreamPart }, cancel: async () => undefined }),
});

/** A finish part for a response whose provider sent none. */
export const finishFor = (unified: PartOf<'finish'>['finishReason']['unified']): PartOf<'finish'> => ({
  type: 'finish',
  finishReason: { unified, raw: undefined },
  usage: noUsage,
});

const none = { total: undefined };
const noUsage: PartOf<'finish'>['usage'] = {
  inputTokens: { ...none, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { ...none, text: undefined, reasoning: undefined },
};

const finishAfter = async (reader: Reader): Promise<PartOf<'finish'> | undefined> => {
  for (;;) {
    const next = await reader.read().catch(() => undefined); // after an error, a broken stream adds no information
    const part = next?.value as StreamPart | undefined; // of the model's stream
    if (part === undefined || part.type === 'finish') return part;
  }
};

function* partsOfResult({ content, finishReason, usage, ...rest }: GenerateResult): Generator<StreamPart, undefined> {
  const { response, warnings, providerMetadata } = rest;
  yield { type: 'stream-start', warnings };
  if (response) yield { type: 'response-metadata', id: response.id, timestamp: response.timestamp, modelId: response.modelId };
  yield* partsOfContent(content);
  yield { type: 'finish', finishReason, usage, providerMetadata };
}
