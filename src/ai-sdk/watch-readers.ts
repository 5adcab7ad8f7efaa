import { createReaders, readerCanceled } from '../stream/readers.js';
import type { UnsignedEvent } from './events.js';
import type { GuardOptions } from './guard-options.js';

/** The fields for readers of a result of `streamText` or of an agent's `stream`. */
export interface StreamedResult {
  readonly stream: ReadableStream<unknown>;
  readonly output?: PromiseLike<unknown>;
  consumeStream(): PromiseLike<void>;
}

/** The streams of such a result that all others are made of. */
const streams = ['stream', 'partialOutputStream', 'elementStream'] as const;

interface Watching extends Pick<GuardOptions, 'onReaderCancel'> {
  /** Ends the run because its readers canceled. */
  readonly leaving: AbortController;
  emit(event: UnsignedEvent): void;
}

/**
 * Applies `onReaderCancel` to a result. Its text or `consumeStream`, which use the whole result, read its stream to the end and count as
 * readers.
 */
export const watchReaders = <Result extends StreamedResult>(
  result: Result,
  { onReaderCancel, leaving, emit }: Watching,
): Result => {
  if (onReaderCancel === undefined) return result;
  let hasReleased = false;
  const onIdle = (): void => {
    if (hasReleased) return;
    hasReleased = true;
    emit({ type: 'reader-cancel', then: onReaderCancel });
    if (onReaderCancel === 'stop') leaving.abort(readerCanceled());
    void result.consumeStream(); // the AI SDK continues, and ends, only while its stream is read
  };
  const readers = createReaders(onIdle);
  eachStream(result, (_, stream) => readers.follow(stream));
  return result;
};

/** Wraps each stream of a result, whenever it is opened. */
export const eachStream = (
  result: StreamedResult,
  around: (name: (typeof streams)[number], stream: ReadableStream<unknown>) => ReadableStream<unknown>,
): void => {
  for (const name of streams) wrapField(result, name, (stream) => around(name, stream as ReadableStream<unknown>)); // by their names
};

/** Wraps a field of a result, whenever it is read. */
export const wrapField = (result: object, name: string, around: (value: unknown) => unknown): void => {
  if (!(name in result)) return;
  const { get } = Object.getOwnPropertyDescriptor(result, name) ?? {};
  const read = (): unknown => (get ? get.call(result) : Reflect.get(Reflect.getPrototypeOf(result) ?? result, name, result));
  Object.defineProperty(result, name, { get: () => around(read()), configurable: true });
};
