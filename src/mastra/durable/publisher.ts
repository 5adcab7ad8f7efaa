import { randomUUID } from 'node:crypto';
import { stringify } from 'safe-stable-stringify';
import { TakenOver, type Board, type BoardEntry, type EntryMark } from '../../durable/journal.js';
import { partIdOf } from '../../loop/part-ids.js';
import type { Chunk } from '../../loop/ports.js';
import type { Position } from '../../trace/recorder.js';
import { positionOf, type Journal, type Run } from '../../loop/run.js';
import { encode } from '../../loop/state/encode.js';
import type { OnShow } from '../../stream/stream-buffer.js';
import { createQueue, type Written } from './entry-queue.js';
import type { PersistedCall } from './persisted-segment.js';
import { createEntryParser, readChunk, withOwnStep, writeEntry, type RunEntry } from './run-entry.js';

/** Publishes a run segment of this process for followers in other processes. */
export interface Publisher {
  /** Identifies the process in its entries. */
  readonly life: string;
  /** Announces that this process runs the segment, before the segment starts here. Effective once. */
  open(): Promise<void>;
  /** True if this or an earlier process has published that the run segment waits for other code. */
  readonly hasWaited: boolean;
  /**
   * Publishes a visible chunk. It is released once its entry is persisted, with the entry's place as `metadata.sequence`. A
   * client so never has a number or text that the next process lacks. Resolves to `false` if the entry will never be persisted.
   */
  readonly show: OnShow<Chunk>;
  /** The same journal, whose checkpointed sections end once all their output is published. */
  around(journal: Journal): Journal;
  /** Settles once the output is published, as far as possible. */
  flush(): Promise<void>;
  /** Stops publishing. Unwritten chunks are released without a number if the run segment is over, and never if it was interrupted. */
  end(how: 'over' | 'interrupted'): Promise<void>;
}

interface PublisherOptions {
  readonly board: Board;
  readonly sitting: number;
  readonly call: PersistedCall;
}

/**
 * Publishes a run segment as one stream, across changes of process. If a process dies inside a checkpointed section, the next one
 * retracts the text that it had released from it, because the model will produce other text, and does not repeat identical
 * chunks.
 */
export const createPublisher = ({ board, sitting: segment, call }: PublisherOptions): Publisher => {
  const { runId } = call;
  const life = randomUUID();
  const persisted: PersistedCall = { ...call, messages: [] }; // they are in the segment's output
  const adoptionEntry = (): BoardEntry => writeEntry({ kind: 'life', life, sitting: segment }, encode(persisted));
  const writing = fencedWriting(board, runId, adoptionEntry);
  const queue = createQueue(writing.write);
  let place = { stretch: '', at: (): Position => ({ stepNumber: 0, attempt: 1 }) };
  let earlier: readonly RunEntry[] = [];
  let remaining = new Map<string, number>();
  let isOpen = false;
  let hasWaited = false;
  const add = (text: string, mark?: EntryMark): Promise<Written> =>
    queue.push(writeEntry({ kind: 'chunk', life, stretch: place.stretch, at: place.at() }, text, mark));
  const enter = (run: Run, stretch: string): void => {
    writing.claim();
    const published = earlier.filter((one) => one.stretch === stretch);
    place = { stretch, at: () => positionOf(run) };
    remaining = countsOf(published);
    const { usedIds, partIds } = unfinished(published, run);
    for (const id of usedIds) run.usedPartIds.add(id); // new output gets other part ids
    const data = { ...published.at(-1)?.at, partIds, scope: 'step' };
    if (partIds.length > 0) void add(encode({ type: retractType, runId, from: 'AGENT', data } satisfies Chunk));
  };
  return {
    life,
    get hasWaited() {
      return hasWaited;
    },
    open: async () => {
      if (isOpen) return;
      isOpen = true;
      void queue.push(adoptionEntry());
      await queue.flush();
      earlier = (await publishedIn(board, runId).catch(() => [])).filter((one) => one.sitting === segment && one.life !== life);
      hasWaited ||= earlier.some(({ text }) => text.includes(needsDecisionType));
    },
    show: (chunk) => {
      hasWaited ||= chunk.type === needsDecisionType;
      const own = withOwnStep(chunk);
      const text = textOf(own);
      if (text === undefined) return;
      const key = remaining.size > 0 ? keyOf(own) : '';
      const count = remaining.get(key) ?? 0;
      if (count > 0) return void remaining.set(key, count - 1);
      const at = place.at();
      return add(text, own.type === 'step-finish' ? 'step' : undefined).then((written) => {
        if (typeof written === 'number') Object.assign(chunk, { metadata: { ...at, ...chunk.metadata, sequence: written } });
        return written !== 'dropped';
      });
    },
    around: (journal) => publishingJournal(journal, enter, () => queue.flush()),
    flush: () => queue.flush(),
    end: (how) => queue.end(how === 'over' ? 'unwritten' : 'dropped'),
  };
};

/**
 * Writes entries until a later process takes over the run. A process that no longer owns the run may take over, too, before it
 * notices; the owner, which alone enters another section, then takes the run back.
 */
const fencedWriting = (board: Board, runId: string, adoptionEntry: () => BoardEntry) => {
  let epochPlace: number | undefined;
  let isTaken = false;
  let takesBack = false;
  const write = async (added: readonly BoardEntry[]): Promise<number> => {
    const entries = takesBack ? [adoptionEntry(), ...added] : added;
    const own = entries.findLastIndex(({ mark }) => mark === 'life');
    try {
      const first = await board.append(runId, entries, own < 0 ? epochPlace : undefined);
      if (own >= 0) epochPlace = first + own;
      isTaken = takesBack = false;
      return first + entries.length - added.length;
    } catch (error) {
      isTaken ||= (error as Error).cause instanceof TakenOver; // wrapped with our code, as all errors of an engine
      throw error;
    }
  };
  return { write, claim: () => void (takesBack ||= isTaken) };
};

const isReadable = (entry: RunEntry): boolean => {
  try {
    readChunk(entry);
    return true;
  } catch {
    return false;
  }
};

/** The published entries of the last segment of a run; none if only one process has run it, the usual case. */
const publishedIn = async (board: Board, runId: string): Promise<RunEntry[]> => {
  const epochs = await board.marked(runId, 'life');
  const known = createEntryParser(runId);
  known.takePlaced(epochs);
  if (known.opened?.life === known.lives.at(-1)) return [];
  const start = known.opened?.sequence ?? 0;
  const parser = createEntryParser(runId, start);
  parser.takePlaced(epochs.filter(({ place }) => place < start));
  return parser.take(await board.read(runId, start)).filter(isReadable); // damaged entries do not stop the run
};

const publishingJournal = (
  journal: Journal,
  enter: (run: Run, stretch: string) => void,
  flush: () => Promise<void>,
): Journal => ({
  ...journal,
  checkpoint: (run, key, body) =>
    journal.checkpoint(run, key, async () => {
      enter(run, key);
      const value = await body();
      await flush();
      return value;
    }),
});

const countsOf = (published: readonly RunEntry[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const key of published.map((one) => keyOf(readChunk(one)))) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
};

/** The type of the chunk for a run segment that other code must continue. */
export const needsDecisionType = 'data-interlock-needs-decision';

/** Equal chunks have the same key. */
const keyOf = (chunk: Chunk): string => stringify(chunk) ?? '';

const retractType = 'data-interlock-retract';

/** Chunks of model output; the outcome of its calls is in other chunks. */
const modelPartTypes = /^((text|reasoning)-.*|tool-call(-delta|-input.*)?|source)$/;

const modelPartId = (chunk: Chunk): string | undefined =>
  modelPartTypes.test(chunk.type) ? (partIdOf(chunk) ?? (chunk.payload as { id?: string } | undefined)?.id) : undefined;

/**
 * Published parts of a checkpointed section that was not persisted, and as `partIds` those not retracted yet. Parts still in the
 * run's buffer are excluded, because they will be released unchanged.
 */
const unfinished = (published: readonly RunEntry[], { options }: Run): { usedIds: Set<string>; partIds: string[] } => {
  const buffered = new Set(options.streamBuffer.buffered().chunks.map(modelPartId));
  const publishedIds = new Set<string>();
  const retractedIds = new Set<string>();
  for (const chunk of published.map(readChunk)) {
    const id = modelPartId(chunk);
    if (id !== undefined && !buffered.has(id)) publishedIds.add(id);
    if (chunk.type === retractType) for (const one of (chunk.data as { partIds: string[] }).partIds) retractedIds.add(one);
  }
  return { usedIds: publishedIds, partIds: [...publishedIds].filter((id) => !retractedIds.has(id)) };
};

/** A chunk as text, through JSON if it is not plain data. Undefined if that fails, too: such a chunk is not essential. */
const textOf = (chunk: Chunk): string | undefined => {
  for (const make of [() => chunk, () => JSON.parse(JSON.stringify(chunk)) as Chunk])
    try {
      return encode(make());
    } catch {
      continue;
    }
  return undefined;
};
