/** The readers of a run's streams. */
interface Readers {
  /** The same stream; its reader counts from the first read on. */
  follow<Chunk>(chunks: ReadableStream<Chunk>): ReadableStream<Chunk>;
  /** A caller waits for the run's result: from here on a cancel does not end the run. */
  expectResult(): void;
}

/**
 * Counts the readers of a run's streams. `onLeft` is called when the last active reader cancels, unless a caller waits for the
 * result.
 */
export const createReaders = (onIdle: () => void): Readers => {
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
          if (open.size === 0 && !isAwaited) onIdle();
          await reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
  };
  return { follow, expectResult: () => void (isAwaited = true) };
};

/** The abort reason of a run whose last reader canceled. */
export const readerCanceled = (): DOMException => new DOMException('The reader canceled the stream.', 'AbortError');
