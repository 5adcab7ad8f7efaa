import { wordsOfChunk, toPlainJson, type MapText } from './plain-json.js';
import type { PartNote, TraceEntry, TraceHeader } from '../../schemas/trace-entry.js';
import { attempted } from '../phase/awaitable.js';
import { createContentWriter, freeze } from './contents.js';
import type { Position } from './recorder.js';

/** Receives the lines of a trace as they happen. Its errors do not reach the run. Entries are immutable copies. */
export type TraceSink = (entry: TraceEntry) => void;

/** Returns the sink for the lines of a run. Called once for each run, with its header; returns undefined to skip the run. */
export type TraceRecorder = (header: TraceHeader) => TraceSink | undefined;

type Fields = 'seq' | 'at';
/** An entry from its reporter. */
export type TraceFact = TraceEntry extends infer E ? (E extends TraceEntry ? Omit<E, Fields> : never) : never;
/** The header fields that come from the run. */
type HeaderFact = Omit<TraceHeader, Fields>;

interface TraceWriterOptions {
  readonly recorder: TraceRecorder;
  /** Epoch milliseconds. */
  readonly wallClock: () => number;
  readonly position: () => Position;
  /** Removes secrets from a text before it is recorded. */
  readonly conceal?: MapText;
}

/** Writes the trace of one run, run segment after run segment. */
export type TraceWriter = ReturnType<typeof createTraceWriter>;

export const createTraceWriter = ({ recorder, wallClock, position, conceal }: TraceWriterOptions) => {
  let sink: TraceSink | undefined;
  let seq = 0;
  const writer = {
    /** Writes the header, and gets the sink for the rest. */
    start: (header: HeaderFact): void => {
      const first: TraceHeader = { seq, at: wallClock(), ...header };
      sink = attempted(() => recorder(first)) ?? undefined;
      seq += 1;
      attempted(() => sink?.(first));
    },
    /** Whether the run is over or suspended: then only its events are recorded, because abandoned activities may still write. */
    isSuspended: false,
    write: (fact: TraceFact): void => {
      if (!sink || (writer.isSuspended && fact.kind !== 'event')) return;
      const entry = { seq, at: wallClock(), ...fact };
      seq += 1;
      attempted(() => sink?.(entry));
    },
    /** The step and the attempt of an entry. */
    get place() {
      const { stepNumber, attempt } = position();
      return { stepNumber, attempt };
    },
    /** A value as it is recorded: the same fields, without what is no data. */
    plain: <T>(value: T) => toPlainJson(value, conceal) as T,
    /** A snapshot of a record, to be written later. */
    freeze: (record: object) => freeze(record, conceal),
    /** Returns references to the content of a record. New values are added to `adds`. */
    refer: createContentWriter(),
  };
  return writer;
};

/** The length of a text in code points. */
export const charsIn = (text: string): number => Array.from(text).length;

/** A chunk without its words. */
export const partOf = (chunk: { readonly type: string; readonly payload?: unknown }, partId: string | undefined): PartNote => ({
  type: chunk.type,
  ...(partId !== undefined && { partId }),
  chars: charsIn(wordsOfChunk(chunk) ?? ''),
});
