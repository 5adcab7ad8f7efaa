import type { Followed } from '../agent/callbacks.js';
import { noJournal } from '../../loop/no-journal.js';
import type { Run } from '../../loop/run.js';
import type { Chunk } from '../../loop/ports.js';
import { applyPersistedState } from '../../loop/state/persisted-state.js';
import type { SegmentEnd } from './persisted-segment.js';
import {
  longerPause,
  pollMs,
  subscribe,
  type DurableContext,
  type RunSubscription,
  type SegmentRef,
} from './run-subscription.js';
import type { LocalRun } from './local-runs.js';
import { setUp } from './set-up.js';
import { readChunk, type RunEntry } from './run-entry.js';

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
const watch = async (context: DurableContext, segment: SegmentRef, { run, driven, published }: LocalRun): Promise<void> => {
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
  const { entries } = subscription;
  try {
    for (let pauseMs = pollMs; ;) {
      const known = entries.length;
      const end = await subscription.poll();
      pauseMs = entries.length > known ? pollMs : longerPause(pauseMs);
      await showPublished(run, subscription, { isWanted, isOver: end !== undefined });
      if (end) return settle(run, end);
      await pause(pauseMs);
    }
  } catch (error) {
    settle(run, { error });
  }
};

interface ShowOptions {
  readonly isWanted: Wanted;
  readonly isOver: boolean;
}

const showPublished = async (
  { options: { streamBuffer } }: Run,
  { entries, number, withSteps }: RunSubscription,
  { isWanted, isOver }: ShowOptions,
): Promise<void> => {
  for (let one = entries[0]; one; one = entries[0]) {
    const chunk = readChunk(one);
    const isLast = chunk.type === 'finish' && one.sitting === number;
    if (isLast && !isOver) return;
    entries.shift();
    const written = isWanted(one) ? streamBuffer.write(tagged(await withSteps(chunk, one), one)) : undefined;
    if (!isLast) await written;
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
