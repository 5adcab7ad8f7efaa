import { attempted } from '../phase/awaitable.js';
import { joinWords } from './join-words.js';
import type { ReaderWatch } from './readers.js';

/** Maximum number of unread chunks before the writer waits. */
const defaultLimit = 32;

/** The number of fully read chunks from which on their text parts are joined. */
const joinedAtOnce = 4_096;

/** The only exit of chunks from a run. Writers wait for readers; readers may come late and read from the start. */
export type StreamBuffer<Chunk> = ReturnType<typeof createStreamBuffer<Chunk>>;

type Derive<Chunk> = (chunk: Chunk) => Chunk | undefined;

interface Reader<Chunk> {
  /** The number of chunks that it has taken, counted as they were written. */
  at: number;
  /** The number of joined chunks that it has taken. */
  joinedAt: number;
  /** Whether it gets the next chunk as soon as it is written. */
  isWaiting: boolean;
  readonly controller: ReadableStreamDefaultController<Chunk>;
  readonly watch: ReaderWatch | undefined;
  readonly derive: Derive<Chunk> | undefined;
}

/** Called with each chunk once it is visible. If it returns a promise, readers get the chunk once that resolves, and never if it resolves to `false`. */
export type OnShow<Chunk> = (chunk: Chunk) => Promise<boolean> | void;

const createFlow = <Chunk>(limit: number, onShow: OnShow<Chunk> | undefined, toVisible: (chunk: Chunk) => Chunk) => {
  const [joined, chunks]: [Chunk[], Chunk[]] = [[], []];
  return {
    limit,
    onShow,
    toVisible,
    /** The first `joinedCount` chunks, with their text parts joined. */
    joined,
    joinedCount: 0,
    /** The chunks after them. */
    chunks,
    /** Chunks that readers wait for; `false` for those that are never emitted. */
    awaited: new Map<Chunk, Promise<unknown> | false>(),
    /** The offset from which on chunks are buffered. */
    bufferedFrom: Infinity,
    /** The active readers. */
    reading: new Set<Reader<Chunk>>(),
    /** Set while writers wait for readers. */
    space: undefined as PromiseWithResolvers<void> | undefined,
    isClosed: false,
    isDraining: false,
    /** The number of chunks that the fastest reader has taken. */
    furthest: 0,
  };
};

/** The state of a stream buffer. */
type Flow<Chunk> = ReturnType<typeof createFlow<Chunk>>;

/** Readers cannot reach buffered chunks, so the writer does not wait for them there. */
const hasSpace = <Chunk>(flow: Flow<Chunk>): boolean =>
  flow.isDraining || flow.bufferedFrom !== Infinity || endOf(flow) - flow.furthest < flow.limit;

/** The offset after the last chunk. */
const endOf = ({ joinedCount, chunks }: Pick<Flow<unknown>, 'joinedCount' | 'chunks'>): number => joinedCount + chunks.length;

/**
 * Joins chunks that all active readers have read, if there are enough. A reader inside the joined range first finishes that
 * range.
 */
const join = <Chunk>(flow: Flow<Chunk>): void => {
  if (flow.chunks.length < 2 * joinedAtOnce) return;
  let offset = Math.min(endOf(flow), flow.bufferedFrom);
  for (const { at } of flow.reading) if (at >= flow.joinedCount) offset = Math.min(offset, at);
  const awaited = flow.awaited.size === 0 ? -1 : flow.chunks.findIndex((chunk) => flow.awaited.has(chunk));
  if (awaited !== -1) offset = Math.min(offset, flow.joinedCount + awaited);
  if (offset - flow.joinedCount < joinedAtOnce) return;
  flow.joined.push(...joinWords(flow.chunks.splice(0, offset - flow.joinedCount)));
  flow.joinedCount = offset;
};

/** Lets waiting writers continue. */
const freeWriters = <Chunk>(flow: Flow<Chunk>): void => {
  flow.space?.resolve();
  flow.space = undefined;
};

const drain = <Chunk>(flow: Flow<Chunk>): void => {
  flow.isDraining = true;
  freeWriters(flow);
};

/** Gives each waiting reader its next chunk, or the end. */
const serveWaiting = <Chunk>(flow: Flow<Chunk>): void => {
  for (const reader of flow.reading) if (reader.isWaiting) void serve(flow, reader);
};

/** Gives a reader its next chunk or the end. If there is neither, the reader waits; a promise means that its chunk is delayed. */
const serve = <Chunk>(flow: Flow<Chunk>, reader: Reader<Chunk>): Promise<void> | undefined => {
  const { joined, chunks } = flow;
  if (!flow.reading.has(reader)) return undefined; // it was canceled while it waited
  reader.isWaiting = false;
  if (reader.at < flow.joinedCount) {
    give(reader, joined[reader.joinedAt] as Chunk); // it has not reached their end
    reader.joinedAt += 1;
    if (reader.joinedAt === joined.length) reader.at = flow.joinedCount;
    return undefined;
  }
  if (reader.at < Math.min(endOf(flow), flow.bufferedFrom)) {
    const chunk = chunks[reader.at - flow.joinedCount] as Chunk; // its index was just checked
    const awaited = flow.awaited.get(chunk);
    if (awaited) return awaited.then(() => serve(flow, reader));
    reader.at += 1;
    if (awaited === false) return serve(flow, reader);
    give(reader, chunk);
    flow.furthest = Math.max(flow.furthest, reader.at);
    if (hasSpace(flow)) freeWriters(flow);
    return undefined;
  }
  if (flow.isClosed) {
    reader.watch?.onEnd();
    reader.controller.close();
  } else reader.isWaiting = true;
  return undefined;
};

const give = <Chunk>({ controller, derive }: Reader<Chunk>, chunk: Chunk): void => {
  const derived = derive && attempted(() => derive(chunk)); // the writer does not fail with a reader
  if (derived !== undefined) controller.enqueue(derived);
  controller.enqueue(chunk);
};

/** A stream over all chunks. A stream without an active reader does not slow the writer. */
const streamOf = <Chunk>(flow: Flow<Chunk>, watch: ReaderWatch | undefined, derive?: Derive<Chunk>): ReadableStream<Chunk> => {
  let reader: Reader<Chunk> | undefined;
  const open = (controller: ReadableStreamDefaultController<Chunk>): Reader<Chunk> => {
    const made = { at: 0, joinedAt: 0, isWaiting: false, controller, watch, derive };
    flow.reading.add(made);
    watch?.onOpen();
    return made;
  };
  const pull = (controller: ReadableStreamDefaultController<Chunk>) => serve(flow, (reader ??= open(controller)));
  const cancel = () => {
    watch?.onCancel();
    if (reader) flow.reading.delete(reader);
    if (flow.reading.size === 0) drain(flow); // no reader is left to wait for
  };
  return new ReadableStream<Chunk>({ pull, cancel }, { highWaterMark: 0 });
};

/** Makes buffered chunks visible. */
const flush = <Chunk>(flow: Flow<Chunk>): void => {
  const from = flow.bufferedFrom;
  flow.bufferedFrom = Infinity;
  for (let at = from - flow.joinedCount; at < flow.chunks.length; at += 1) show(flow, at);
  serveWaiting(flow);
};

const show = <Chunk>({ chunks, toVisible, onShow, awaited }: Flow<Chunk>, at: number): void => {
  const chunk = (chunks[at] = toVisible(chunks[at] as Chunk)); // the caller passes a valid index
  const leaving = onShow?.(chunk);
  if (!leaving) return;
  const settle = (mayLeave: boolean): void => void (mayLeave ? awaited.delete(chunk) : awaited.set(chunk, false));
  awaited.set(chunk, leaving.then(settle));
};

const drop = <Chunk>(flow: Flow<Chunk>, offset: number): boolean => {
  flow.chunks.length = Math.min(flow.chunks.length, Math.max(offset, flow.bufferedFrom) - flow.joinedCount);
  return offset >= flow.bufferedFrom;
};

type Change<Chunk> = (chunks: readonly Chunk[]) => readonly Chunk[];

const revise = <Chunk>(flow: Flow<Chunk>, [offset, end]: [number, number], change: Change<Chunk>): boolean => {
  if (offset < flow.bufferedFrom) return false;
  const from = offset - flow.joinedCount;
  const before = flow.chunks.slice(from, end - flow.joinedCount);
  flow.chunks.splice(from, before.length, ...change(before));
  return true;
};

/**
 * Creates a stream buffer. The fastest reader sets the pace, so an idle reader does not block the others; when the last active
 * reader cancels, the limit no longer applies.
 *
 * @param limit the maximum number of unread chunks; at least 1, default 32
 * @param onShow must not throw, nor reject
 * @param toVisible creates the form of a chunk for readers once it is visible
 */
export const createStreamBuffer = <Chunk>(
  limit = defaultLimit,
  onShow?: OnShow<Chunk>,
  toVisible = (chunk: Chunk): Chunk => chunk,
) => {
  const flow = createFlow(limit, onShow, toVisible);
  return {
    /** Writes a chunk; returns a promise if the writer must wait for a reader. After `close` chunks are dropped. */
    write: (chunk: Chunk): Promise<void> | undefined => {
      if (flow.isClosed) return undefined;
      flow.chunks.push(chunk);
      const isBuffered = flow.bufferedFrom !== Infinity;
      if (!isBuffered) show(flow, flow.chunks.length - 1);
      join(flow);
      if (isBuffered) return undefined;
      serveWaiting(flow);
      return hasSpace(flow) ? undefined : (flow.space ??= Promise.withResolvers()).promise;
    },
    /** Ends the stream; a second close does nothing. */
    close: (): void => {
      drop(flow, flow.bufferedFrom); // chunks that are still buffered at the end are dropped
      flow.isClosed = true;
      serveWaiting(flow);
      freeWriters(flow);
    },
    /**
     * A stream over all chunks from the first. A late reader gets consecutive parts of one text, once thousands have been read by
     * others, as one joined part. `watch` has the callbacks for its reader; `derive` creates a chunk that it gets before another one.
     */
    read: (watch?: ReaderWatch, derive?: Derive<Chunk>): ReadableStream<Chunk> => streamOf(flow, watch, derive),
    /** Removes the limit of unread chunks, because a caller waits for the end. */
    drain: (): void => drain(flow),
    /** Buffers chunks from here on, invisible to readers, until `flush`. A second call during buffering does nothing. */
    startBuffering: (): void => void (flow.bufferedFrom = Math.min(flow.bufferedFrom, endOf(flow))),
    /** Makes buffered chunks visible. */
    flush: (): void => flush(flow),
    /** The offset after the last chunk. */
    get offset(): number {
      return endOf(flow);
    },
    /** Removes the chunks since an offset that no reader has seen; returns whether these are all. */
    drop: (offset: number): boolean => drop(flow, offset),
    /** Replaces the chunks between two offsets, if no reader has seen them; returns whether it did. Default end: the last chunk. */
    revise: (offset: number, end: number | undefined, change: Change<Chunk>): boolean =>
      revise(flow, [offset, end ?? endOf(flow)], change),
    /** The buffered chunks, and the offset of the first. */
    buffered: (): { readonly chunks: readonly Chunk[]; readonly from: number } => ({
      chunks: flow.chunks.slice(flow.bufferedFrom - flow.joinedCount),
      from: Math.min(flow.bufferedFrom, endOf(flow)),
    }),
    /** Removes all buffered chunks and returns them. */
    dropBuffered: (): Chunk[] => flow.chunks.splice(flow.bufferedFrom - flow.joinedCount),
    get closed(): boolean {
      return flow.isClosed;
    },
  };
};
