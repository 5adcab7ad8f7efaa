import { isDeepStrictEqual } from 'node:util';
import type { FullOutput, MastraModelOutput } from '@mastra/core/stream';
import { parse, type ParseError } from 'jsonc-parser';
import type { RunStatus } from '../../../schemas/index.js';
import { tripwireOf } from '../../loop/finalize-run.js';
import { isChunk } from '../../loop/emit.js';
import type { Chunk } from '../../loop/ports.js';
import type { Run } from '../../loop/run.js';
import type { StreamTransforms } from '../call-options.js';
import { objectOf } from '../messages/conversion.js';
import { answerOf, errorOf, traceIdsOf, type RunResult, type ResultOptions } from './result.js';
import type { StepResult } from './step-results.js';
import { createReaders, type ReaderWatch } from '../../stream/readers.js';
import { safely } from '../../phase/awaitable.js';
import { readOutputSchema } from '../structured-output/output-schema.js';
import type { StructuredOutput } from '../structured-output/structured-output-options.js';

/** Fields of a result that a stream offers as promises. */
const promised = [
  'text',
  'steps',
  'finishReason',
  'usage',
  'totalUsage',
  'reasoning',
  'reasoningText',
  'toolCalls',
  'toolResults',
  'sources',
  'files',
  'content',
  'warnings',
  'request',
  'response',
  'providerMetadata',
  'object',
  'suspendPayload',
  'resumeSchema',
] as const satisfies readonly (keyof RunResult)[];

type Promised = { readonly [K in (typeof promised)[number]]: Promise<RunResult[K]> };

/** One attempt at a step: Mastra's step result with the outcome of the attempt. */
type InterlockStep<OUTPUT = undefined> = FullOutput<OUTPUT>['steps'][number] &
  Pick<StepResult, 'stepNumber' | 'attempt' | 'reason'>;
/**
 * The result of `generate`: Mastra's full output with the run's status and events. Its `object` is undefined if the run did not
 * succeed; check `status`. Mastra's type of it does not say that.
 */
export type InterlockResult<OUTPUT = undefined> = Omit<FullOutput<OUTPUT>, 'steps'> & { steps: InterlockStep<OUTPUT>[] } & Pick<
    RunResult,
    'status' | 'bypasses' | 'wasted' | 'runEvents' | 'runId' | 'tripwire'
  >;
/** The result of `stream`: Mastra's stream with the run's status and events. */
export type InterlockStream<OUTPUT = undefined> = {
  getFullOutput(): Promise<InterlockResult<OUTPUT>>;
} & MastraModelOutput<OUTPUT> &
  Readonly<Pick<RunResult, 'runEvents' | 'tripwire'>>;

interface StreamOptions extends ResultOptions {
  /** Settles when the run is over; never rejects. */
  readonly ended: Promise<void>;
  /** Applied to each reader's full stream. */
  readonly transforms: StreamTransforms | undefined;
  /** Called when the last reader cancels and nothing waits for the result. */
  readonly stopForReader?: () => void;
}

/** Exposes a started run in the shape of Mastra's stream object, with `status` and the run's events. Its fields may be destructured. */
export const streamOf = (run: Run, { ended, transforms, stopForReader, ...wanted }: StreamOptions) => {
  const { streamBuffer, runId } = run.options;
  let result: Promise<RunResult> | undefined;
  const readers = stopForReader && createReaders(stopForReader);
  const read = (own?: StreamTransforms): ReadableStream<Chunk> => fullStreamOf(run, own, readers?.watch());
  const wait = (): Promise<void> => (readers?.expectResult(), ended);
  const whole = (): Promise<RunResult> => (result ??= handled(finish(run, wait(), wanted)));
  const stream = {
    runId,
    messageId: run.state.messageId,
    get messageList() {
      return run.state.list;
    },
    ...traceIdsOf(run),
    get usedFallbackValue() {
      return objectOf(run).usedFallbackValue;
    },
    /** The connection that Mastra's model router keeps open, e.g. with `providerOptions.openai.transport: 'websocket'`. */
    get transport() {
      return run.options.ports.connection?.();
    },
    runEvents: run.recorder.events,
    get status(): RunStatus | 'running' {
      return run.state.status ?? 'running';
    },
    get tripwire() {
      return run.state.status === 'tripwire' ? tripwireOf(run) : undefined;
    },
    get error() {
      return run.state.status === 'failed' ? errorOf(run) : undefined;
    },
    get fullStream() {
      return read(transforms);
    },
    get textStream() {
      return picked(read(), (chunk) => (isChunk(chunk, 'text-delta') ? chunk.payload.text : undefined));
    },
    /** Partial objects, each of which replaces the previous one. The last one of a successful run is the accepted object. */
    get objectStream() {
      return picked(read(), changedObjects());
    },
    /** The elements of an accepted list. */
    get elementStream() {
      return ReadableStream.from(elementsOf(read()));
    },
    consumeStream: async ({ onError }: { onError?: (error: unknown) => void } = {}) => {
      streamBuffer.drain();
      await wait();
      if (run.state.status === 'failed') await safely(onError, errorOf(run));
    },
    /** The whole result. Rejects if the run fails, and with `throwOnTripwire` if a guard stopped it. */
    getFullOutput: whole,
    _waitUntilFinished: () => ended, // Mastra's threads wait with it, without reading
  };
  for (const name of promised) {
    const valueIn = (one: RunResult) => (name === 'text' && !isResumed(run) ? answerText(one) : one[name]);
    Object.defineProperty(stream, name, { get: () => handled(whole().then(valueIn)), enumerable: true });
  }
  return stream as typeof stream & Promised;
};

/** The text of a resumed run includes text before its tool calls, as in Mastra: the caller has not stored it yet. */
const isResumed = ({ recorder }: Run): boolean => recorder.events.some(({ type }) => type === 'run-resume');

const finish = async (run: Run, ended: Promise<void>, wanted: ResultOptions): Promise<RunResult> => {
  run.options.streamBuffer.drain();
  await ended;
  return answerOf(run, wanted);
};

/** A promise that the caller may ignore: a failed run causes no unhandled rejection when the caller reads only one field. */
const handled = <T>(promise: Promise<T>): Promise<T> => {
  promise.catch(() => undefined);
  return promise;
};

/** A run's chunks for one reader, with partial objects and the caller's transforms. */
export const fullStreamOf = (run: Run, transforms: StreamTransforms = [], watch?: ReaderWatch): ReadableStream<Chunk> =>
  [transforms]
    .flat()
    .reduce((stream, transform) => stream.pipeThrough(transform()), run.options.streamBuffer.read(watch, partialObjects(run)));

async function* elementsOf(chunks: ReadableStream<Chunk & { object?: unknown }>): AsyncGenerator {
  for await (const { type, object } of chunks) if (type === 'object-result' && Array.isArray(object)) yield* object;
}

/** Maps chunks to values, and drops chunks without one. */
const picked = <T>(chunks: ReadableStream<Chunk>, pick: (chunk: Chunk) => T | undefined): ReadableStream<T> =>
  chunks.pipeThrough(
    new TransformStream<Chunk, T>({
      transform: (chunk, controller) => {
        const value = pick(chunk);
        if (value !== undefined) controller.enqueue(value);
      },
    }),
  );

/** Reads partial objects and the accepted one, unless it equals the last partial one. */
const changedObjects = () => {
  let last: unknown;
  return ({ type, object }: Chunk & { object?: unknown }): unknown => {
    const isChanged = type === 'object' || (type === 'object-result' && !isDeepStrictEqual(object, last));
    return isChanged ? (last = object) : undefined;
  };
};

/**
 * Creates the chunk of the partial object for each piece of released text, if the object has changed. Text that guards hold is not
 * released yet, and a retraction restarts the object. A long text is parsed once it has grown by 1/256, so that the cost stays linear.
 */
const partialObjects = (run: Run): ((chunk: Chunk) => Chunk | undefined) => {
  let text = '';
  let parsedLength = 0;
  let last: unknown;
  let requested: { readonly by: unknown; readonly schema: ReturnType<typeof readOutputSchema> } | undefined;
  const schemaNow = () => {
    const by: StructuredOutput | undefined = (run.state.attempt?.settings ?? run.options.settings).structuredOutput;
    if (by?.model) return undefined; // another model creates the object
    if (by && requested?.by !== by) requested = { by, schema: readOutputSchema(by.schema) };
    return by && requested?.schema;
  };
  return (chunk) => {
    const { runId, from, metadata } = chunk;
    if (startsAnew.has(chunk.type)) {
      text = '';
      parsedLength = 0;
    }
    if (!isChunk(chunk, 'text-delta')) return undefined;
    const schema = schemaNow();
    if (!schema) return undefined;
    text += chunk.payload.text;
    if (text.length - parsedLength < parsedLength / 256) return undefined;
    parsedLength = text.length;
    const errors: ParseError[] = [];
    const object = schema.partial(parse(text, errors), errors.length === 0);
    if (object === undefined || isDeepStrictEqual(object, last)) return undefined;
    last = object;
    return { type: 'object', runId, from, object, ...(metadata && { metadata }) } as Chunk; // the place of its text
  };
};

/** Chunks that restart the object: it is parsed from the text after the last tool call, retraction or step start. */
const startsAnew = new Set(['step-start', 'tool-call', 'data-interlock-retract']);

/** The text of Mastra's streams: the answer without text before its last tool call. */
const answerText = ({ text, steps }: Pick<RunResult, 'text' | 'steps'>): string => {
  const accepted = steps.filter((step) => !step.tripwire && step.reason !== 'error');
  const usesTools = accepted.some(({ toolCalls }) => toolCalls.length > 0);
  return usesTools ? (accepted.at(-1)?.text ?? '') : text;
};
