import { estimateTokenCount } from 'tokenx';
import type { ModelCall, Chunk } from './ports.js';

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
  const addChunk = (chunk: Chunk): void => {
    text += textOf(chunk);
    if (chunk.type === 'finish') finish = chunk;
  };
  const open = async (): ModelCall['response'] => {
    const items = streamOf(await call.response, addChunk).getReader();
    return async () => {
      const { value } = await items.read();
      if (value && 'error' in value) throw value.error;
      return value?.chunk;
    };
  };
  return {
    startedAt: call.startedAt,
    response: open(),
    hangUp: call.hangUp,
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
const streamOf = (next: Awaited<ModelCall['response']>, onChunk: (chunk: Chunk) => void): ReadableStream<Item> => {
  const pull = async (controller: ReadableStreamDefaultController<Item>): Promise<void> => {
    try {
      const chunk = await next();
      if (!chunk) return controller.close();
      onChunk(chunk);
      controller.enqueue({ chunk });
    } catch (error) {
      controller.enqueue({ error }); // an error of the stream would discard its waiting items
      controller.close();
    }
  };
  return new ReadableStream<Item>({ pull }, { highWaterMark: mostCharsAhead, size: sizeOf });
};

/** Chunks without text count as one, or any number of them could wait. */
const sizeOf = (item: Item): number => ('chunk' in item ? Math.max(1, textOf(item.chunk).length) : 1);
