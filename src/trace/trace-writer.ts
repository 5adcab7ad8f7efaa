import type { PartNote, TraceContent, TraceEntry, TraceHeader } from '../../schemas/index.js';
import { toPlainJson, type MapText } from './plain-json.js';
import { createContentWriter, freeze, type Frozen } from './contents.js';
import type { Position } from './run-fact.js';

/** Receives the lines of a trace as they happen. Its errors do not reach the run. Entries are immutable copies. */
export type TraceSink = (entry: TraceEntry) => void;

/** Returns the sink for the lines of a run. Called once for each run, with its header; returns undefined to skip the run. */
export type TraceRecorder = (header: TraceHeader) => TraceSink | undefined;

type Fields = 'seq' | 'at';
/** An entry as its reporter says it. */
export type TraceFact = TraceEntry extends infer E ? (E extends TraceEntry ? Omit<E, Fields> : never) : never;
/** The facts of a header that the run knows. */
type HeaderFact = Omit<TraceHeader, Fields>;

interface TraceWriterOptions {
  readonly recorder: TraceRecorder;
  /** Epoch milliseconds. */
  readonly wallClock: () => number;
  readonly position: () => Position;
  /** Writes a text so that it says nothing that must not be written down. */
  readonly conceal?: MapText;
}

/** Writes the trace of one run, run segment after run segment. */
export interface TraceWriter {
  /** Writes the header, and learns where the rest goes. */
  begin(header: HeaderFact): void;
  /** Whether the run is over or suspended: only its events are recorded then, because abandoned activities may still write. */
  isSuspended: boolean;
  write(fact: TraceFact): void;
  /** Where the run is: the step and the attempt of an entry. */
  readonly place: Position;
  /** A value as it is written down. */
  plain(value: unknown): unknown;
  /** A record as it is now, to be written down later. */
  freeze(record: object): Frozen;
  /** What a record holds, by reference; values that are new are put into `adds`. */
  refer(frozen: Frozen, adds: unknown[]): TraceContent;
}

/** Makes the writer of one run's trace. */
export const createTraceWriter = ({ recorder, wallClock, position, conceal }: TraceWriterOptions): TraceWriter => {
  const contents = createContentWriter();
  let sink: TraceSink | undefined;
  let seq = 0;
  const write = (fact: TraceFact | HeaderFact): void => {
    if (!sink || (writer.isSuspended && fact.kind !== 'event')) return;
    const entry = { seq, at: wallClock(), ...fact };
    seq += 1;
    safely(sink, entry);
  };
  const writer: TraceWriter = {
    begin: (header) => {
      const first: TraceHeader = { seq, at: wallClock(), ...header };
      sink = safely(recorder, first) ?? undefined;
      seq += 1;
      if (sink) safely(sink, first);
    },
    isSuspended: false,
    write,
    get place() {
      const { stepNumber, attempt } = position();
      return { stepNumber, attempt };
    },
    plain: (value) => toPlainJson(value, conceal),
    freeze: (record) => freeze(record, conceal),
    refer: (frozen, adds) => contents.write(frozen, adds),
  };
  return writer;
};

/** Calls code of the application: its failure does not affect the run. */
const safely = <T, R>(listener: (value: T) => R, value: T): R | undefined => {
  try {
    return listener(value);
  } catch {
    return undefined; // it only misses its own news
  }
};

/** A chunk, as far as a trace looks at it. */
interface NotedChunk {
  readonly type: string;
  readonly payload?: unknown;
}

/** How many characters a text has, by its code points. */
export const charsIn = (text: string): number => Array.from(text).length;

/** What a chunk is, without its words. */
export const noteOf = ({ type, payload }: NotedChunk, partId: string | undefined): PartNote => {
  const { text, argsTextDelta } = (payload ?? {}) as { text?: unknown; argsTextDelta?: unknown };
  const words = typeof text === 'string' ? text : typeof argsTextDelta === 'string' ? argsTextDelta : '';
  return { type, ...(partId !== undefined && { partId }), chars: charsIn(words) };
};
