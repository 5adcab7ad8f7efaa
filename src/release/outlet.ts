/** How many chunks may wait for a reader before the writer does. */
const defaultLimit = 32;

/** The one place where chunks leave a run. Writers wait for readers; readers may come late and read from the start. */
export interface Outlet<Chunk> {
  /** Lets a chunk out; gives a promise where the writer must wait until somebody reads. After `close` nothing leaves. */
  write(chunk: Chunk): Promise<void> | undefined;
  /** Ends the stream; a second close does nothing. */
  close(): void;
  /** A stream over all chunks from the first. */
  read(): ReadableStream<Chunk>;
  /** Lets everything flow, however slowly anybody reads: somebody waits for the end. */
  drain(): void;
  readonly closed: boolean;
}

interface Wait {
  promise: Promise<void>;
  resolve: () => void;
}

const createWait = (): Wait => {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
};

/**
 * Makes an outlet. The fastest reader sets the pace, so that a reader who only peeked does not hold the others up.
 *
 * @param limit chunks that may wait unread; at least 1, default 32
 */
export const createOutlet = <Chunk>(limit = defaultLimit): Outlet<Chunk> => {
  const chunks: Chunk[] = [];
  let closed = false;
  let draining = false;
  let furthest = 0;
  let room: Wait | undefined;
  let news: Wait | undefined;

  const hasRoom = () => draining || closed || chunks.length - furthest < limit;
  const makeRoom = () => {
    if (!room || !hasRoom()) return;
    room.resolve();
    room = undefined;
  };
  const tellNews = () => {
    news?.resolve();
    news = undefined;
  };
  const drain = () => {
    draining = true;
    makeRoom();
  };

  return {
    write: (chunk) => {
      if (closed) return undefined;
      chunks.push(chunk);
      tellNews();
      if (hasRoom()) return undefined;
      room ??= createWait();
      return room.promise;
    },
    close: () => {
      closed = true;
      tellNews();
      makeRoom();
    },
    read: () => {
      let at = 0;
      const pull = (controller: ReadableStreamDefaultController<Chunk>): Promise<void> | undefined => {
        if (at < chunks.length) {
          controller.enqueue(chunks[at] as Chunk);
          at += 1;
          furthest = Math.max(furthest, at);
          makeRoom();
          return undefined;
        }
        if (closed) return void controller.close();
        news ??= createWait();
        return news.promise.then(() => pull(controller));
      };
      return new ReadableStream<Chunk>({ pull, cancel: drain }, { highWaterMark: 0 });
    },
    drain,
    get closed() {
      return closed;
    },
  };
};
