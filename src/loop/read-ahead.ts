import { estimateTokenCount } from 'tokenx';
import type { ModelCall } from './model-call.js';
import type { Chunk } from './ports.js';

/** The number of characters of a response that may wait for the overlap guards. At this limit the provider waits. */
const mostCharsAhead = 16_384;

/** A response that is read ahead while overlap guards judge. */
export interface ResponseAhead extends ModelCall {
  /** The last chunk, once the response is complete. */
  readonly finish: Chunk | undefined;
  /** Estimated number of tokens so far. */
  estimateTokens(): number;
}

/** An item of the stream: a chunk, or the provider's error. */
type Item = { readonly chunk: Chunk } | { readonly error: unknown };

/** Reads the response of a call ahead, up to the limit. */
export const readAhead = (call: ModelCall): ResponseAhead => {
  let finish: Chunk | undefined;
  let text = '';
  let isHungUp = false;
  let waiting: ReadableStream<Item> | undefined;
  const addChunk = (chunk: Chunk): void => {
    text += textOf(chunk);
    if (chunk.type === 'finish') finish = chunk;
  };
  const drop = (): void => void (waiting?.locked === false && waiting.cancel().catch(() => undefined));
  const open = async (): Promise<AsyncIterable<Chunk>> => {
    waiting = streamOf(await call.chunks, addChunk);
    if (isHungUp) drop();
    return takenFrom(waiting);
  };
  return {
    startedAt: call.startedAt,
    chunks: open(),
    hangUp: () => {
      isHungUp = true;
      call.hangUp();
      drop();
    },
    get finish() {
      return finish;
    },
    estimateTokens: () => estimateTokenCount(text),
  };
};

const textOf = ({ payload }: Chunk): string => {
  const { text, argsTextDelta } = (payload ?? {}) as { text?: unknown; argsTextDelta?: unknown };
  return typeof text === 'string' ? text : typeof argsTextDelta === 'string' ? argsTextDelta : '';
};

/** The platform's own queue: it pulls until `mostCharsAhead` characters wait in it. */
const streamOf = (chunks: AsyncIterable<Chunk | undefined>, onChunk: (chunk: Chunk) => void): ReadableStream<Item> => {
  const iterator = chunks[Symbol.asyncIterator]();
  const next = async (): Promise<Item | undefined> => {
    try {
      for (;;) {
        const { done, value } = await iterator.next();
        if (done) return undefined;
        if (!value) continue;
        onChunk(value);
        return { chunk: value };
      }
    } catch (error) {
      return { error }; // an error would make the stream discard its waiting items
    }
  };
  const pull = async (controller: ReadableStreamDefaultController<Item>): Promise<void> => {
    const item = await next();
    if (item) controller.enqueue(item);
    if (!item || 'error' in item) controller.close();
  };
  const cancel = (): void => void iterator.return?.()?.catch(() => undefined); // does not wait for a provider that hangs
  return new ReadableStream<Item>({ pull, cancel }, { highWaterMark: mostCharsAhead, size: sizeOf });
};

/** Chunks without text count as one, or any number of them could wait. */
const sizeOf = (item: Item): number => ('chunk' in item ? Math.max(1, textOf(item.chunk).length) : 1);

async function* takenFrom(items: ReadableStream<Item>): AsyncGenerator<Chunk> {
  for await (const item of items) {
    if ('error' in item) throw item.error;
    yield item.chunk;
  }
}
