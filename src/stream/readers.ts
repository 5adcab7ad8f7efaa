/** The readers of a run's streams. */
interface Readers {
  /** A stream as before, whose reader counts from its first read on. */
  follow<Chunk>(chunks: ReadableStream<Chunk>): ReadableStream<Chunk>;
  /** Something waits for the run's result: from here on no cancel is the last. */
  expectResult(): void;
}

/**
 * Counts the readers of a run's streams. `onLeft` is called when the last active reader cancels, unless a caller waits for the
 * result.
 */
export const createReaders = (onLeft: () => void): Readers => {
  const open = new Set<object>();
  let isAwaited = false;
  const follow = <Chunk>(chunks: ReadableStream<Chunk>): ReadableStream<Chunk> => {
    const reader = chunks.getReader();
    return new ReadableStream<Chunk>(
      {
        pull: async (controller) => {
          open.add(reader);
          const { done, value } = await reader.read().catch((error: unknown) => {
            open.delete(reader);
            throw error;
          });
          if (!done) return controller.enqueue(value);
          open.delete(reader);
          controller.close();
        },
        cancel: async (reason) => {
          open.delete(reader);
          if (open.size === 0 && !isAwaited) onLeft();
          await reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
  };
  return { follow, expectResult: () => void (isAwaited = true) };
};

/** Why a run ends whose last reader left. */
export const readerCanceled = (): DOMException => new DOMException('The reader canceled the stream.', 'AbortError');
