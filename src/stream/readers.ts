/** Callbacks for one reader: its first read, the end of its stream, and its cancel. */
export interface ReaderWatch {
  onOpen(): void;
  onEnd(): void;
  onCancel(): void;
}

/**
 * Counts the readers of a run's streams. `onIdle` is called when the last active reader cancels, unless a caller waits for the
 * result.
 */
export const createReaders = (onIdle: () => void) => {
  const open = new Set<ReaderWatch>();
  let isAwaited = false;
  const watch = (): ReaderWatch => {
    const reader: ReaderWatch = {
      onOpen: () => void open.add(reader),
      onEnd: () => void open.delete(reader),
      onCancel: () => {
        open.delete(reader);
        if (open.size === 0 && !isAwaited) onIdle();
      },
    };
    return reader;
  };
  return {
    watch,
    follow: <Chunk>(chunks: ReadableStream<Chunk>) => watched(chunks, watch()),
    expectResult: () => void (isAwaited = true),
  };
};

const watched = <Chunk>(chunks: ReadableStream<Chunk>, watch: ReaderWatch): ReadableStream<Chunk> => {
  const reader = chunks.getReader();
  return new ReadableStream<Chunk>(
    {
      pull: async (controller) => {
        watch.onOpen();
        const { done, value } = await reader.read().catch((error: unknown) => {
          watch.onEnd();
          throw error;
        });
        if (!done) return controller.enqueue(value);
        watch.onEnd();
        controller.close();
      },
      cancel: async (reason) => {
        watch.onCancel();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
};

/** The abort reason of a run whose last reader canceled. */
export const readerCanceled = (): DOMException => new DOMException('The reader canceled the stream.', 'AbortError');
