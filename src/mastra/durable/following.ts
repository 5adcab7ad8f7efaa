import type { Followed } from '../agent/callbacks.js';
import { noJournal } from '../../loop/create-run.js';
import type { Run } from '../../loop/run.js';
import type { Chunk } from '../../loop/ports.js';
import { applyPersistedState } from '../../loop/state/persisted-state.js';
import { storedEnd, runIdOf, type SegmentEnd, type SegmentRef } from './persisted-segment.js';
import type { LocalRuns } from './local-runs.js';
import { setUp, type DurableContext } from './start-persisted-run.js';
import type { StoredRuns } from './run-operations.js';
import { readChunk, createEntryParser, createStepRestorer, type RunEntry } from './run-entry.js';
import type { Board, PlacedEntry } from '../../durable/journal.js';
import { InterlockError } from '../../errors.js';

/** Polling interval of a run that waits for its turn in this process, which reports the start. Another process may take the run over. */
const herePollMs = 10_000;

/** A run segment for its caller: from this process if it runs here, otherwise from its published entries. */
export const followCalled = async (context: DurableContext, segment: SegmentRef): Promise<Followed> => {
  const { localRuns } = context;
  const subscription = subscribe(context, segment);
  for (let pauseMs = pollMs; ; pauseMs = longerPause(pauseMs)) {
    const hasStarted = await subscription.hasStarted();
    const localRun = localRuns.find(segment.id);
    if (localRun) return { run: localRun.run, ended: watch(context, segment, localRun) };
    if (hasStarted) break;
    await localRuns.arrival(segment.id, localRuns.isHere(segment.id) ? herePollMs : pauseMs);
  }
  localRuns.remove(segment.id);
  return createFollower(context, subscription, (entry) => entry.sitting === segment.number);
};

/** Follows a run segment from its published entries. With an offset it yields all entries of the run from there on. */
export const followPublished = async (
  context: DurableContext,
  segment: SegmentRef,
  from: number | undefined,
): Promise<Followed> => {
  const subscription = subscribe(context, segment, from);
  while (!(await subscription.hasStarted())) await context.pause();
  return createFollower(context, subscription, (entry) =>
    from === undefined ? entry.sitting === segment.number : entry.sequence >= from,
  );
};

/** Selects the chunks to emit. */
type Wanted = (entry: RunEntry) => boolean;

/** A run that emits the published chunks of another run, and takes over its final state. */
const createFollower = async (
  { parts, pause }: DurableContext,
  subscription: RunSubscription,
  isWanted: Wanted,
): Promise<Followed> => {
  const { call } = subscription;
  if (!call) throw (await subscription.poll())?.error;
  const run = await setUp(parts, call, { here: {}, journal: noJournal }); // it does not continue here
  return { run, ended: publishUntilEnd(run, subscription, { isWanted, pause }) };
};

/** Follows a local run segment. If it is interrupted, follows its continuation in any process. */
const watch = async (
  context: DurableContext,
  segment: SegmentRef,
  { run, driven, published }: NonNullable<ReturnType<LocalRuns['find']>>,
): Promise<void> => {
  const { localRuns } = context;
  try {
    await driven;
  } catch {
    if (localRuns.find(segment.id)?.run === run) localRuns.remove(segment.id);
    const { streamBuffer } = run.options;
    streamBuffer.dropBuffered(); // the process that continues the run buffers it again
    streamBuffer.flush();
    const { next } = published;
    await publishUntilEnd(run, subscribe(context, segment), {
      isWanted: ({ sequence }) => sequence >= next,
      pause: context.pause,
    });
  } finally {
    localRuns.remove(segment.id);
  }
};

/** Emits published chunks until the run segment is over. The last chunk is emitted only once the end is known. */
const publishUntilEnd = async (
  run: Run,
  subscription: RunSubscription,
  { isWanted, pause }: Pick<DurableContext, 'pause'> & { readonly isWanted: Wanted },
): Promise<void> => {
  const { entries, number, withSteps } = subscription;
  const show = async (isOver: boolean): Promise<void> => {
    for (let one = entries[0]; one; one = entries[0]) {
      const chunk = readChunk(one);
      const isLast = chunk.type === 'finish' && one.sitting === number;
      if (isLast && !isOver) return;
      entries.shift();
      const written = isWanted(one) ? run.options.streamBuffer.write(tagged(await withSteps(chunk, one), one)) : undefined;
      if (!isLast) await written;
    }
  };
  try {
    for (let pauseMs = pollMs; ;) {
      const known = entries.length;
      const end = await subscription.poll();
      pauseMs = entries.length > known ? pollMs : longerPause(pauseMs);
      await show(end !== undefined);
      if (end) return settle(run, end);
      await pause(pauseMs);
    }
  } catch (error) {
    settle(run, { error });
  }
};

/** Adds the position of the chunk, from which a disconnected reader continues. */
const tagged = (chunk: Chunk, { sequence, at }: RunEntry): Chunk => ({
  ...chunk,
  metadata: { ...at, ...chunk.metadata, sequence },
});

const settle = (run: Run, { state, error }: SegmentEnd): void => {
  if (state) applyPersistedState(run, state);
  else run.change({ status: 'failed', error });
  run.options.streamBuffer.close();
};

/** Polling interval of a run in another process. */
export const pollMs = 50;

/** The longest interval, for a run without new entries. */
const idlePollMs = 500;

/** Pauses that all end with a tick of one clock, up to an interval early, so that the readers in this process poll together. */
export const createPause = (): StoredRuns['pause'] => {
  let tick: Promise<void> | undefined;
  const nextTick = (): Promise<void> =>
    (tick ??= new Promise<void>((resolve) => setTimeout(resolve, pollMs)).then(() => (tick = undefined)));
  return async (ms = pollMs) => {
    for (let remaining = ms; remaining > 0; remaining -= pollMs) await nextTick();
  };
};

/** The interval after an interval without new entries. */
const longerPause = (ms: number): number => Math.min(ms * 1.5, idlePollMs);

/** Follows a run to the end of one of its segments. */
type RunSubscription = ReturnType<typeof subscribe>;

/** @param from the place of the first entry. Default: the start of the run segment */
export const subscribe = (context: DurableContext, segment: SegmentRef, from?: number) => {
  const { number, id, runId } = segment;
  const { board } = context;
  const entries: RunEntry[] = [];
  let parser: ReturnType<typeof createEntryParser> | undefined;
  let end: SegmentEnd | undefined;
  /** The first entries: from the place, or from the start of the run segment. */
  const start = async (): Promise<RunEntry[]> => {
    const known = from ? await board.read(runId, from - 1) : [];
    const epochs = await board.marked(runId, 'life'); // read after the entries, so that it includes the process of each of them
    const first = known.length > 0 && from ? from - 1 : startOf(epochs, segment, from);
    parser = createEntryParser(runId, first);
    parser.takePlaced(epochs.filter(({ place }) => place < first));
    return parser.take(known.length > 0 ? known : await board.read(runId, first));
  };
  const poll = async (): Promise<SegmentEnd | undefined> => {
    end ??= await findEnd(context, id); // first, so that all entries before the end are read
    entries.push(...(parser ? parser.take(await board.read(runId, parser.place)) : await start()));
    return end;
  };
  return {
    /** The number of that run segment. */
    number,
    /** Entries read and not yet consumed. */
    entries,
    /** Restores the steps before a chunk. */
    withSteps: createStepRestorer((before) => stepsBefore(board, segment, before)),
    /** The call of the run segment, once it is published. */
    get call() {
      return end ? end.call : parser?.opened?.call;
    },
    /** Reads the end and new entries. Resolves to the end, or undefined while the run segment continues. */
    poll,
    /** Reads new entries; resolves to whether the run segment has started in any process, or has ended. */
    hasStarted: async () => (await poll()) !== undefined || parser?.opened?.sitting === number,
  };
};

/** The place from which a run segment is read: at the latest the start of the last process. */
const startOf = (epochs: readonly PlacedEntry[], { runId, number }: SegmentRef, from: number | undefined): number => {
  if (from === 0) return 0;
  const parser = createEntryParser(runId);
  for (const epoch of from === undefined ? epochs : []) {
    parser.takePlaced([epoch]);
    if (parser.opened?.sitting === number) return epoch.place;
  }
  return epochs.at(-1)?.place ?? 0;
};

const stepsBefore = async (board: Board, { runId }: SegmentRef, before: number): Promise<RunEntry[]> => {
  const marked = await Promise.all([board.marked(runId, 'life'), board.marked(runId, 'step')]);
  const entries = marked.flat().filter(({ place }) => place < before);
  return createEntryParser(runId).takePlaced(entries.toSorted((one, other) => one.place - other.place));
};

/** The end of a run segment. Undefined while it continues. */
export const findEnd = async ({ runs }: Pick<DurableContext, 'runs'>, id: string): Promise<SegmentEnd | undefined> => {
  const found = await runs.find(id);
  switch (found.kind) {
    case 'running':
      return undefined;
    case 'ended':
      return storedEnd.read(found.output, id);
    case 'absent':
      throw new InterlockError('durable/no-run', { path: runIdOf(id) });
    case 'lost':
      throw new InterlockError('durable/lost-run', { path: runIdOf(id), detail: found.reason });
    default:
      return found satisfies never;
  }
};
