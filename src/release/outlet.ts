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

/** Something that is waited for again and again. */
interface Bell {
  wait(): Promise<void>;
  /** Wakes all who wait. */
  ring(): void;
}

const createBell = (): Bell => {
  let promise: Promise<void> | undefined;
  let resolve: () => void = () => undefined;
  return {
    wait: () => (promise ??= new Promise((done) => (resolve = done))),
    ring: () => {
      resolve();
      promise = undefined;
    },
  };
};

interface Reader<Chunk> {
  /** How many chunks it has taken. */
  at: number;
  controller: ReadableStreamDefaultController<Chunk>;
}

/** What an outlet knows. */
interface Flow<Chunk> {
  readonly limit: number;
  readonly chunks: Chunk[];
  /** Those who have begun to read. */
  readonly reading: Set<Reader<Chunk>>;
  /** Rings when a writer may go on. */
  readonly room: Bell;
  /** Rings when there is something to read. */
  readonly news: Bell;
  isClosed: boolean;
  isDraining: boolean;
  /** How many chunks the fastest reader has taken. */
  furthest: number;
}

const hasRoom = <Chunk>({ isDraining, isClosed, chunks, furthest, limit }: Flow<Chunk>): boolean =>
  isDraining || isClosed || chunks.length - furthest < limit;

const drain = <Chunk>(flow: Flow<Chunk>): void => {
  flow.isDraining = true;
  flow.room.ring();
};

/** Gives a reader its next chunk, or waits for one. */
const serve = <Chunk>(flow: Flow<Chunk>, reader: Reader<Chunk>): Promise<void> | undefined => {
  const { chunks, reading, news, room } = flow;
  if (!reading.has(reader)) return undefined; // it went away while it waited
  if (reader.at < chunks.length) {
    reader.controller.enqueue(chunks[reader.at] as Chunk); // there, as was just seen
    reader.at += 1;
    flow.furthest = Math.max(flow.furthest, reader.at);
    if (hasRoom(flow)) room.ring();
    return undefined;
  }
  if (!flow.isClosed) return news.wait().then(() => serve(flow, reader));
  reader.controller.close();
  return undefined;
};

/** A stream over all chunks. Who has one but does not read sets no pace. */
const streamOf = <Chunk>(flow: Flow<Chunk>): ReadableStream<Chunk> => {
  let reader: Reader<Chunk> | undefined;
  const pull = (controller: ReadableStreamDefaultController<Chunk>) => {
    if (!reader) flow.reading.add((reader = { at: 0, controller }));
    return serve(flow, reader);
  };
  const cancel = () => {
    if (reader) flow.reading.delete(reader);
    if (flow.reading.size === 0) drain(flow); // nobody is left to be waited for
  };
  return new ReadableStream<Chunk>({ pull, cancel }, { highWaterMark: 0 });
};

/**
 * Makes an outlet. The fastest reader sets the pace, so that a reader who only peeked does not hold the others up; when the last
 * one who was reading goes away, everything flows.
 *
 * @param limit chunks that may wait unread; at least 1, default 32
 */
export const createOutlet = <Chunk>(limit = defaultLimit): Outlet<Chunk> => {
  const flow: Flow<Chunk> = {
    limit,
    chunks: [],
    reading: new Set(),
    room: createBell(),
    news: createBell(),
    isClosed: false,
    isDraining: false,
    furthest: 0,
  };
  return {
    write: (chunk) => {
      if (flow.isClosed) return undefined;
      flow.chunks.push(chunk);
      flow.news.ring();
      return hasRoom(flow) ? undefined : flow.room.wait();
    },
    close: () => {
      flow.isClosed = true;
      flow.news.ring();
      flow.room.ring();
    },
    read: () => streamOf(flow),
    drain: () => drain(flow),
    get closed() {
      return flow.isClosed;
    },
  };
};
