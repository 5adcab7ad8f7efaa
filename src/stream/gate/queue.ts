import type { Chunk, TextPart } from './chunk.js';
import { rawOf, takeRaw, type Segment } from './segment.js';

/** One text on its way, and what of it may leave. */
export interface OpenTextPart extends TextPart {
  /** The part it belongs to; one that ends and begins again has two texts. */
  readonly key: string;
  /** What the guards have cleared and has not left. */
  readonly cleared: Segment[];
  /** Characters, as they came, that have come and that have left. */
  received: number;
  released: number;
  /** The stretch that its next delta joins. */
  last: TextEntry | undefined;
}

/** Characters of a text, up to `end`. */
interface TextEntry {
  readonly lane: OpenTextPart;
  end: number;
}

/** Any other chunk; one that belongs to a text keeps its place there, others keep theirs among everything. */
interface WholeEntry {
  readonly whole: true;
  /** Undefined for a tool call whose arguments streamed without a final chunk. */
  readonly chunk: Chunk | undefined;
  readonly lane?: OpenTextPart;
  /** Of a tool call: the chunks that streamed its arguments. */
  readonly told?: readonly Chunk[];
  /** The number of characters that it represents. */
  readonly length?: number;
  /** Its place in the answer. */
  readonly place: number;
}

export type Entry = TextEntry | WholeEntry;

/** Everything that has come and has not left, in its order. */
export interface Queue {
  /** Characters that are held. */
  readonly held: number;
  readonly isEmpty: boolean;
  /** The text of a key, as long as it goes on; made where there is none. */
  lane(key: string, make: () => TextPart): OpenTextPart;
  /** The texts that go on. */
  lanes(): readonly OpenTextPart[];
  /** A text ends; another may follow under its key. */
  close(lane: OpenTextPart): void;
  addText(lane: OpenTextPart, length: number): void;
  addWhole(entry: Omit<WholeEntry, 'whole'>): void;
  /** Counts characters that wait elsewhere for their chunk. */
  hold(length: number): void;
  /** What may leave next: of a text what was cleared; of the rest what nothing is before any more, which leaves with this. */
  next(): Entry | undefined;
  /** Takes what was cleared of a stretch; what is left of it keeps its place. */
  take(entry: TextEntry): readonly Segment[];
}

const isWhole = (entry: Entry): entry is WholeEntry => 'whole' in entry;

/** Makes the queue of one stage of the stream. */
export const createQueue = (): Queue => {
  const entries: Entry[] = [];
  const open = new Map<string, OpenTextPart>();
  let held = 0;

  const begin = (key: string, part: TextPart): OpenTextPart => {
    const lane: OpenTextPart = { ...part, key, cleared: [], received: 0, released: 0, last: undefined };
    open.set(key, lane);
    return lane;
  };
  const remove = (index: number): Entry => {
    const [entry] = entries.splice(index, 1) as [Entry]; // the index is of one
    if (isWhole(entry)) held -= entry.length ?? 0;
    else if (entry.lane.last === entry) entry.lane.last = undefined;
    return entry;
  };

  return {
    get held() {
      return held;
    },
    get isEmpty() {
      return entries.length === 0;
    },
    lane: (key, make) => open.get(key) ?? begin(key, make()),
    lanes: () => [...open.values()],
    close: (lane) => void open.delete(lane.key),
    addText: (lane, length) => {
      lane.received += length;
      held += length;
      if (lane.last) lane.last.end = lane.received;
      else entries.push((lane.last = { lane, end: lane.received }));
    },
    addWhole: (entry) => {
      if (entry.lane) entry.lane.last = undefined;
      else for (const lane of open.values()) lane.last = undefined;
      entries.push({ whole: true, ...entry });
    },
    hold: (length) => void (held += length),
    next: () => {
      const at = nextIndex(entries);
      if (at === undefined) return undefined;
      const entry = entries[at] as Entry; // as was just found
      return isWhole(entry) || entry.lane.released >= entry.end ? remove(at) : entry;
    },
    take: (entry) => {
      const { lane } = entry;
      const taken = takeRaw(lane.cleared, entry.end - lane.released);
      const length = rawOf(taken);
      lane.released += length;
      held -= length;
      if (lane.released >= entry.end) remove(entries.indexOf(entry));
      return taken;
    },
  };
};

/** The first entry that may leave: a text waits for what is before it in its own part, any other chunk for everything. */
const nextIndex = (entries: readonly Entry[]): number | undefined => {
  const waiting = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    if (!entry.lane) return index === 0 ? 0 : undefined;
    if (waiting.has(entry.lane.key)) continue;
    if (isWhole(entry) || entry.lane.cleared.length > 0 || entry.lane.released >= entry.end) return index;
    waiting.add(entry.lane.key);
  }
  return undefined;
};
