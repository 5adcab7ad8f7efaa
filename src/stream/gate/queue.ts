import {
  type Chunk,
  type TextPart,
  argumentsOf,
  borderOf,
  bringsArguments,
  deltaKey,
  deltaText,
  hasMore,
  textPartOf,
  argumentsText,
  withoutText,
} from './chunk.js';
import { rawOf, takeRaw, type Segment, uneditedSegment } from './segment.js';
import type { PlacedChunk, Gate, TextStage } from './stages.js';
import { fieldsIn, computed } from '../../phase/plain-data.js';

/** One text in the gate, and its releasable segments. */
export interface OpenTextPart extends TextPart {
  isPaused: boolean;
  /** Segments that the guards have cleared and that were not emitted. */
  readonly cleared: Segment[];
  /** Numbers of original characters received and emitted. */
  received: number;
  released: number;
  /** The entry that its next delta joins. */
  last: TextEntry | undefined;
}

/** Characters of a text, up to `end`. */
interface TextEntry {
  readonly lane: OpenTextPart;
  end: number;
}

/** Any other chunk. One that belongs to a text keeps its order there, the others among all entries. */
interface WholeEntry {
  readonly whole: true;
  /** Undefined for a tool call whose arguments streamed without a final chunk. */
  readonly chunk: Chunk | undefined;
  readonly lane?: OpenTextPart;
  /** Of a tool call: the chunks that streamed its arguments. */
  readonly deltas?: readonly Chunk[];
  /** The number of characters that it represents. */
  readonly length?: number;
  /** Its offset in the response. */
  readonly place: number;
}

export type Entry = TextEntry | WholeEntry;

const isWhole = (entry: Entry): entry is WholeEntry => 'whole' in entry;

/** Everything that was received and not emitted, in order. */
type Queue = ReturnType<typeof createQueue>;

/** Creates the queue of one stage of the stream. */
export const createQueue = () => {
  const entries: Entry[] = [];
  const open = new Map<string, OpenTextPart>();
  let bufferedChars = 0;

  const remove = (index: number): Entry => {
    const [entry] = entries.splice(index, 1) as [Entry]; // the index is of an entry
    if (isWhole(entry)) bufferedChars -= entry.length ?? 0;
    else if (entry.lane.last === entry) entry.lane.last = undefined;
    return entry;
  };

  return {
    /** The number of buffered characters. */
    get bufferedChars() {
      return bufferedChars;
    },
    get isEmpty() {
      return entries.length === 0;
    },
    /** The open text of a key; created if there is none. */
    lane: (key: string, make: () => TextPart) =>
      computed(open, key, () => ({ ...make(), cleared: [], received: 0, released: 0, last: undefined })),
    /** The open texts. */
    lanes: (): readonly OpenTextPart[] => [...open.values()],
    /** Ends a text; another may follow under its key. */
    close: (lane: OpenTextPart) => void open.delete(lane.key),
    addText: (lane: OpenTextPart, length: number) => {
      lane.received += length;
      bufferedChars += length;
      if (lane.last) lane.last.end = lane.received;
      else entries.push((lane.last = { lane, end: lane.received }));
    },
    addWhole: (entry: Omit<WholeEntry, 'whole'>) => {
      if (entry.lane) entry.lane.last = undefined;
      else for (const lane of open.values()) lane.last = undefined;
      entries.push({ whole: true, ...entry });
    },
    /** Counts characters whose chunk is buffered elsewhere. */
    hold: (length: number) => void (bufferedChars += length),
    /** The next entry to release: a text with cleared segments, or a chunk with no entry before it, which this call removes. */
    next: (): Entry | undefined => {
      const at = nextIndex(entries);
      const entry = at === undefined ? undefined : entries[at];
      if (at === undefined || !entry) return undefined;
      return isWhole(entry) || entry.lane.released >= entry.end ? remove(at) : entry;
    },
    /** Takes the cleared segments of a text entry; the rest keeps its position. */
    take: (entry: TextEntry): readonly Segment[] => {
      const { lane } = entry;
      const taken = takeRaw(lane.cleared, entry.end - lane.released);
      const length = rawOf(taken);
      lane.released += length;
      bufferedChars -= length;
      if (lane.released >= entry.end) remove(entries.indexOf(entry));
      return taken;
    },
  };
};

/** The index of the first releasable entry: a text waits for earlier entries of its own part, any other chunk for all earlier entries. */
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

/** Streamed arguments of incomplete tool calls, by call. */
type StreamedCalls = Map<string, Chunk[]>;

export const createAdmission = (queue: Queue, way: TextStage, gate: Pick<Gate, 'place'>) => {
  const calls: StreamedCalls = new Map();
  const endText = (lane: OpenTextPart): void => {
    lane.isPaused = true;
    queue.close(lane);
    way.end(lane);
  };
  /** A text whose part has ended, while only reasoning has followed: some clients end a part when the model thinks, and continue it. */
  let pausedText: OpenTextPart | undefined;
  let isInterrupted = false;
  /** Continues the resting text if its part starts again after reasoning; anything else ends it. */
  const arrive = (key: string | undefined): void => {
    if (!pausedText) return;
    if (key?.startsWith('reasoning ')) isInterrupted = true;
    else {
      if (key !== pausedText.key || !isInterrupted) endText(pausedText);
      pausedText = undefined;
    }
  };
  const endPart = (lane: OpenTextPart): void => {
    lane.isPaused = true;
    if (!lane.key.startsWith('text ')) return endText(lane);
    [pausedText, isInterrupted] = [lane, false];
  };
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    pausedText = undefined;
    for (const lane of queue.lanes()) endText(lane);
    way.endStep();
    for (const deltas of calls.values())
      queue.addWhole({ chunk: undefined, deltas, length: lengthOf(deltas), place: gate.place }); // the call never came
    calls.clear();
  };
  return {
    /** Ends every text and the step. Further calls do nothing until another chunk arrives. */
    end,
    admit: (chunk: Chunk, place: number) => {
      isOver = false; // a provider may send more after the end
      const key = deltaKey(chunk);
      const border = key === undefined ? borderOf(chunk) : undefined;
      arrive(key ?? border?.key);
      if (key !== undefined) return admitText(key, { chunk, place }, { queue, way });
      if (border) {
        const lane = queue.lane(border.key, () => textPartOf(chunk, border.key));
        if (border.isEnd) endPart(lane);
        return queue.addWhole({ chunk, lane, place });
      }
      if (bringsArguments(chunk)) return undefined;
      const callId = argumentsOf(chunk);
      if (callId !== undefined) return admitDeltas(callId, chunk, { queue, calls });
      if (chunk.type === 'tool-call') return admitCall({ chunk, place }, { queue, calls });
      if (chunk.type === 'finish') end();
      return queue.addWhole({ chunk, place });
    },
  };
};

const admitText = (key: string, { chunk, place }: PlacedChunk, { queue, way }: { queue: Queue; way: TextStage }): void => {
  const lane = queue.lane(key, () => textPartOf(chunk, key));
  lane.isPaused = false;
  const text = deltaText(chunk);
  if (text !== '') {
    queue.addText(lane, text.length);
    way.add(uneditedSegment(lane, text, place - text.length + 1));
  }
  // Other fields of a delta, such as a signature, follow its text; an empty delta without other fields is no window.
  if (hasMore(chunk)) queue.addWhole({ chunk: withoutText(chunk), lane, place });
};

const admitDeltas = (id: string, chunk: Chunk, { queue, calls }: { queue: Queue; calls: StreamedCalls }): void => {
  computed(calls, id, (): Chunk[] => []).push(chunk);
  queue.hold(argumentsText(chunk).length);
};

const admitCall = ({ chunk, place }: PlacedChunk, { queue, calls }: { queue: Queue; calls: StreamedCalls }): void => {
  const id = String(fieldsIn(chunk.payload)['toolCallId']);
  const deltas = calls.get(id);
  calls.delete(id);
  queue.addWhole({ chunk, deltas, length: lengthOf(deltas ?? []), place });
};

const lengthOf = (deltas: readonly Chunk[]): number => deltas.reduce((sum, chunk) => sum + argumentsText(chunk).length, 0);
