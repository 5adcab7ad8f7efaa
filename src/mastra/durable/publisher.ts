import { stringify } from 'safe-stable-stringify';
import type { Append, Board, BoardEntry, Durable, EntryMark } from '../../durable/journal.js';
import { isInterlockError } from '../../errors.js';
import { attempted } from '../../phase/awaitable.js';
import { partIdOf } from '../../loop/part-ids.js';
import type { Chunk } from '../../loop/ports.js';
import type { Position } from '../../trace/recorder.js';
import { positionOf, type Run } from '../../loop/run.js';
import { encode, encodeChunk } from '../../loop/state/encode.js';
import { segmentId, type PersistedCall } from './persisted-segment.js';
import { createEntryParser, fromAgent, readChunk, withSteps, writeEntry, type RunEntry } from './run-entry.js';

interface PublisherOptions {
  readonly durable: Durable;
  readonly board: Board;
  readonly sitting: number;
  readonly call: PersistedCall;
}

/**
 * Records the visible chunks of a run segment for followers in other processes, as one stream, across changes of process. A chunk is sent once
 * its record is stored, with the record's place as `metadata.sequence`, so that a client never has a number or text that the next process lacks.
 * Chunks are published early, and stored with their section at the latest. If a process dies inside a section, the next one retracts the text
 * that was sent from it, because the model will produce other text, and does not repeat identical chunks.
 */
export const createPublisher = ({ durable, board, sitting: segment, call }: PublisherOptions) => {
  const { runId } = call;
  const queue = createQueue(runId, durable);
  const withoutKnownSteps = createStepOmitter();
  let place = { stretch: '', at: (): Position => ({ stepNumber: 0, attempt: 1 }) };
  let earlier: readonly RunEntry[] = [];
  let remaining = new Map<string, number>();
  let opening: Promise<void> | undefined;
  const add = (text: string, kind: RunEntry['kind'], mark?: EntryMark): Promise<number | undefined> =>
    queue.push(writeEntry({ kind, stretch: place.stretch, at: place.at() }, text, mark));
  const start = async (): Promise<void> => {
    const persisted: PersistedCall = { ...call, messages: [] }; // they are in the segment's output
    await queue.open(writeEntry({ kind: 'life', sitting: segment }, encode(persisted)));
    earlier = await publishedIn(board, runId);
    if (earlier.some(({ text }) => text.includes(needsDecisionType))) await board.pin(segmentId(runId, segment), undefined);
  };
  const open = (): Promise<void> => (opening ??= start());
  return {
    /** The place after the last record that is known to be stored. */
    get next() {
      return queue.next;
    },
    /** Records that this process runs the segment. Effective once. */
    open,
    /** Whether an earlier process has published the segment's last chunk: followers get nothing after it. */
    get hasLast() {
      return earlier.some((one) => readChunk(one).type === 'finish');
    },
    enter: async (run: Run, stretch: string) => {
      await open();
      const published = earlier.filter((one) => one.stretch === stretch);
      place = { stretch, at: () => positionOf(run) };
      remaining = countsOf(published);
      const { usedIds, partIds } = unfinished(published, run);
      for (const id of usedIds) run.usedPartIds.add(id); // new output gets other part ids
      const data = { ...published.at(-1)?.at, partIds, scope: 'step' };
      if (partIds.length > 0) void add(encode({ type: retractType, data }), 'own');
    },
    take: queue.take,
    kept: queue.kept,
    show: (chunk: Chunk) => {
      const key = remaining.size > 0 ? keyOf(chunk) : '';
      const count = remaining.get(key) ?? 0;
      if (count > 0) return void remaining.set(key, count - 1);
      const { kind, text } = bodyOf(withoutKnownSteps(chunk), runId);
      const at = place.at();
      return add(text, kind, chunk.type === 'step-finish' ? 'step' : undefined).then((sequence) => {
        if (sequence !== undefined) Object.assign(chunk, { metadata: { ...at, ...chunk.metadata, sequence } });
        return sequence !== undefined;
      });
    },
    /** Settles once all records are stored. Rejects if this process cannot store them, because it no longer has the run. */
    flush: async () => {
      if (queue.isWaiting) await open();
      await queue.flush();
    },
    /** Stops recording. Chunks that are not stored are never released here: the next process stores its own. */
    end: queue.end,
  };
};

/**
 * A `step-finish` chunk repeats all steps so far. It is published from the first step on that is new, or that guards have edited or rejected
 * meanwhile, so that the cost of a step stays constant.
 */
const createStepOmitter = () => {
  let published: readonly unknown[] = [];
  return (chunk: Chunk): Chunk =>
    withSteps(chunk, (steps) => {
      const earlier = [...steps, {}].findIndex((step, index) => step !== published[index]); // unchanged steps are shared
      published = steps;
      return { steps: steps.slice(earlier), earlier };
    });
};

interface Waiting {
  readonly entry: BoardEntry;
  /** Gets the record's place; undefined if this process will not store it. */
  settle(place: number | undefined): void;
}

/** The records of a run that are not stored yet, in their order. */
const createQueue = (runId: string, { publish }: Pick<Durable, 'publish'>) => {
  let waiting: Waiting[] = [];
  let next: number | undefined;
  let taken: Append | undefined;
  let scheduled: NodeJS.Immediate | undefined;
  let hasEnded = false;
  let last: Promise<void> = Promise.resolve();
  const unstored = (): Append | undefined =>
    waiting.length > 0 && next !== undefined ? { runId, at: next, entries: waiting.map(({ entry }) => entry) } : undefined;
  const confirm = ({ at = 0, entries }: Append): void => {
    for (; next !== undefined && next < at + entries.length; next += 1) waiting.shift()?.settle(next);
  };
  const write = async (): Promise<void> => {
    const append = unstored();
    if (append) confirm({ ...append, at: await publish(append) });
  };
  const writeEarly = (): void => {
    scheduled = undefined;
    last = last.then(write).catch(() => undefined); // the records stay here, and are stored with their section
  };
  return {
    get next() {
      return next ?? 0;
    },
    get isWaiting() {
      return waiting.length > 0;
    },
    open: async (first: BoardEntry): Promise<void> => {
      next = (await publish({ runId, entries: [first] })) + 1;
    },
    /** Records of one turn of the event loop are published together. Never rejects. */
    push: (entry: BoardEntry): Promise<number | undefined> => {
      if (hasEnded) return Promise.resolve(undefined);
      scheduled ??= setImmediate(writeEarly);
      return new Promise((settle) => waiting.push({ entry, settle }));
    },
    take: () => (taken = unstored()),
    kept: () => {
      if (taken) confirm(taken);
    },
    flush: async (): Promise<void> => {
      await last;
      await write();
    },
    end: (): void => {
      hasEnded = true;
      for (const { settle } of waiting) settle(undefined);
      waiting = [];
    },
  };
};

/** The records of the last segment of a run by earlier processes; none if only one process has run it, the usual case. */
const publishedIn = async (board: Board, runId: string): Promise<RunEntry[]> => {
  const starts = await board.marked(runId, 'life');
  const known = createEntryParser(runId);
  try {
    known.takePlaced(starts);
    const { opened } = known;
    if (!opened || opened.processes < 2) return [];
    const parser = createEntryParser(runId, opened.sequence);
    return parser.take(await board.read(runId, opened.sequence)).filter((entry) => attempted(() => readChunk(entry)));
  } catch (error) {
    if (isInterlockError(error, 'durable/damaged')) return []; // damaged records do not stop the run
    throw error;
  }
};

const countsOf = (published: readonly RunEntry[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const key of published.map((one) => keyOf(readChunk(one)))) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
};

/** The type of the chunk for a run segment that other code must continue. */
export const needsDecisionType = 'data-interlock-needs-decision';

/** Equal chunks have the same key, whatever steps a process repeats with them. */
const keyOf = (chunk: Chunk): string => stringify(withSteps(chunk, (steps) => ({ steps: steps.slice(-1) }))) ?? '';

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

const bodyOf = (chunk: Chunk, runId: string): { readonly kind: RunEntry['kind']; readonly text: string } => {
  const { runId: id, from, ...rest } = chunk;
  const isOwn = id === runId && from === fromAgent(runId).from;
  return isOwn ? { kind: 'own', text: encodeChunk(rest) } : { kind: 'chunk', text: encodeChunk(chunk) };
};
