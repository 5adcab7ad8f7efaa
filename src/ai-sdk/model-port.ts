import { findsNothing, patternOf } from '../guard/pattern-row.js';
import type { LoopPorts, PartSource } from '../loop/ports.js';
import type { Run as LoopRun } from '../loop/run.js';
import { processorsOf } from '../pipeline/graph.js';
import { modelCodec } from './chunks.js';
import type { Run } from './run.js';
import type { CallableModel, CallOptions, Chunk, GenerateResult, PartOf, Prompt, StreamPart } from './spec.js';
import { createGathering, partsOfContent, type Gathering } from './wire.js';

/** A call of a model that guards stand around. */
export interface ModelCall {
  readonly model: CallableModel;
  readonly params: CallOptions;
  readonly mode: 'generate' | 'stream';
  /** Aborted when the caller gives up, or goes away. */
  readonly signal: AbortSignal;
  /** Ends the provider's call, however silent the provider is. */
  cancel(reason: unknown): void;
}

/** What a provider said in one call; the loop's chunks are made of it. */
export interface ModelReply {
  request?: unknown;
  response?: object;
  start?: PartOf<'stream-start'>;
  finish?: PartOf<'finish'>;
  /** What the provider itself reported as a failure; absent where the call broke off. */
  failure?: { readonly error: unknown };
  /** The answer before the stream's guards, where the provider's own record of it is asked for. */
  came: Gathering | undefined;
  /** That record: it holds words that guards may take out. */
  raws: PartOf<'raw'>[];
  /** The part that each chunk was made of. */
  readonly parts: WeakMap<Chunk, StreamPart>;
  /** The parts in the order in which they came. */
  order: StreamPart[];
}

/** What guards judge after a model's words came. */
const outputPhases = ['outputStream', 'llmResponse', 'outputStep', 'outputResult', 'toolResult'] as const;

/** Whether anything of an answer may be taken out: then it must not leave by another way either. */
export const guardsOutput = ({ plan }: Run): boolean => outputPhases.some((phase) => plan.has(phase));

/** Whether guards that go by patterns find nothing in a chunk. */
export const isClean = async ({ plan }: Run, chunk: { type: string; payload: object }): Promise<boolean> => {
  for (const pattern of processorsOf(plan.graph).map(patternOf))
    if (pattern && !(await findsNothing(pattern, chunk))) return false;
  return true;
};

/** The same for the provider's own record of an answer, which is read like its metadata. */
export const isCleanRecord = (run: Run, providerMetadata: unknown): Promise<boolean> =>
  isClean(run, { type: 'finish', payload: { providerMetadata } });

/** Whether the parts of an answer leave after the review only: then they leave in the order in which they came. */
export const leavesTogether = ({ hold }: Run, { mode }: ModelCall): boolean => hold === 'step' || mode === 'generate';

/** Whether the provider's own record of a guarded answer is asked for: raw chunks, or the body of its response. */
const keepsRecord = (run: Run, { mode, params }: ModelCall): boolean =>
  guardsOutput(run) && (mode === 'generate' || params.includeRawChunks === true);

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
}: ModelPortOptions): Pick<LoopPorts, 'callModel' | 'toChunk'> => ({
  callModel: async ({ prompt, abortSignal }) => {
    const { model, params, mode } = call;
    const came = keepsRecord(run, call) ? createGathering() : undefined;
    Object.assign(reply, { came, raws: [], order: [], finish: undefined, failure: undefined });
    const options = { ...params, prompt: prompt as unknown as Prompt, abortSignal }; // Mastra types a prompt by an older specification
    const result = mode === 'stream' ? await model.doStream(options) : await model.doGenerate(options);
    const { request, response } = result;
    Object.assign(reply, { request, response });
    onOpened();
    const parts = 'stream' in result ? hearingOut(result.stream, reply) : sourceOf(partsOfResult(result));
    return { parts, request, response };
  },
  toChunk: (given, runId) => {
    const part = given as StreamPart; // of the model's stream
    if (part.type === 'stream-start') {
      reply.start = part;
      const { attempt } = loopOf();
      if (attempt) attempt.warnings = part.warnings;
      return undefined;
    }
    if (part.type === 'error') reply.failure = { error: part.error };
    else if (part.type === 'finish') reply.finish = part;
    if (part.type === 'raw' && reply.came) return void reply.raws.push(part);
    reply.came?.add(part);
    const chunk = modelCodec.toChunk(part, runId);
    if (chunk) reply.parts.set(chunk, part);
    if (leavesTogether(run, call)) reply.order.push(part);
    return chunk;
  },
});

/** Parts that are there already. */
const sourceOf = (parts: Generator<StreamPart, undefined>): PartSource => ({
  getReader: () => ({ read: async () => parts.next() as { done: boolean; value?: StreamPart }, cancel: async () => undefined }),
});

/** How a call finished that the provider says has failed follows its error; what it says meanwhile is part of no answer. */
const hearingOut = (stream: ReadableStream<StreamPart>, reply: ModelReply): PartSource => ({
  getReader: () => {
    const reader = stream.getReader();
    return {
      read: async () => {
        const next = await reader.read();
        if (next.value?.type === 'error') reply.finish = await finishAfter(reader);
        return next;
      },
      cancel: (reason) => reader.cancel(reason),
    };
  },
});

const finishAfter = async (reader: ReadableStreamDefaultReader<StreamPart>): Promise<PartOf<'finish'> | undefined> => {
  for (;;) {
    const next = await reader.read().catch(() => undefined); // that it breaks off now says nothing new
    if (!next || next.done) return undefined;
    if (next.value.type === 'finish') return next.value;
  }
};

function* partsOfResult({ content, finishReason, usage, ...rest }: GenerateResult): Generator<StreamPart, undefined> {
  const { response, warnings, providerMetadata } = rest;
  yield { type: 'stream-start', warnings };
  if (response) yield { type: 'response-metadata', id: response.id, timestamp: response.timestamp, modelId: response.modelId };
  yield* partsOfContent(content);
  yield { type: 'finish', finishReason, usage, providerMetadata };
}
