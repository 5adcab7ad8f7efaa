import { configure } from 'safe-stable-stringify';
import type { TraceEntry } from '../../../schemas/index.js';
import { parseTrace, redactTrace } from '../../../src/replay.js';
import type { RunSummary } from '../../protocol/runs.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import type { LineKind } from '../store/run-store.js';
import { entriesOfTrace } from './entries-of-trace.js';
import type { EntryFact } from './entry-fact.js';
import { createSummary, type RunHead } from './summary.js';

/** The log of one run while it is under way: immutable entries, as lines of JSON. */
export interface RunLog {
  readonly runId: string;
  readonly summary: RunSummary;
  /** The user's text in full. */
  readonly userText: string;
  /** The accepted answer in full. */
  readonly answer: string;
  /** The lines of a kind from a number on. */
  linesFrom(kind: LineKind, seq: number): readonly string[];
  /** Adds a fact, at the current or the given time. */
  add(fact: EntryFact, at?: number): void;
  /** Adds a line of the run's trace, with its entries for pages. */
  trace(entry: TraceEntry): void;
  /** Ends the log. */
  close(): void;
  readonly isOver: boolean;
  /** The number of lines stored before it was opened. */
  readonly stored: Readonly<Record<LineKind, number>>;
}

/** Storage of runs. */
export interface RunStorage {
  /** Whether text that was not released is stored. */
  readonly keepsContent: boolean;
  /** Called for each change of a run. */
  readonly onChange: (log: RunLog) => void;
  /** Stores the rest of a run that is over; its log is then dropped. */
  readonly onOver: (log: RunLog) => Promise<void>;
}

export interface RunLogOptions extends Pick<RunStorage, 'keepsContent' | 'onChange'> {
  readonly head: RunHead;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The stored state of a run that continues. */
  readonly before?: StoredRun;
}

/** A store's data of a run. */
export interface StoredRun {
  readonly startedAt: number;
  readonly lines: Readonly<Record<LineKind, readonly string[]>>;
}

/** The maximum number of entries of one run. Beyond it only events and the state of the run are stored. */
const mostEntries = 200_000;

/** Starts the log of a run. */
export const createRunLog = ({ head, now, keepsContent, onChange, before }: RunLogOptions): RunLog => {
  const fold = createSummary(head, now(), before?.startedAt);
  const lines: Record<LineKind, string[]> = { entry: [...(before?.lines.entry ?? [])], trace: [...(before?.lines.trace ?? [])] };
  const stored = { entry: lines.entry.length, trace: lines.trace.length };
  for (const line of lines.entry) fold.add(JSON.parse(line) as StudioEntry); // this studio's own lines
  let isOver = false;
  /** Text that was not released is hidden, also while the run is under way. */
  const isWithheld = () => !keepsContent && !isOver;
  const add = (fact: EntryFact, at: number) => {
    if (lines.entry.length >= mostEntries && fact.kind !== 'event' && fact.kind !== 'status') return;
    const entry = { seq: lines.entry.length, at, ...fact } as StudioEntry; // a fact of some kind with the common fields
    fold.add(entry);
    lines.entry.push(stringify(entry));
    onChange(log);
  };
  const log: RunLog = {
    runId: head.runId,
    userText: head.userText,
    get summary() {
      return fold.summary;
    },
    get answer() {
      return fold.answer;
    },
    linesFrom: (kind, seq) => (kind === 'trace' && isWithheld() ? [] : lines[kind].slice(seq)),
    add: (fact, at = now()) => add(fact, at),
    trace: (entry) => {
      const isStored = keepsContent || !isOver; // content after the end was not redacted
      if (isStored && lines.trace.length < mostEntries) lines.trace.push(stringify(entry));
      for (const fact of entriesOfTrace(entry)) add(fact, entry.at);
    },
    close: () => {
      if (!keepsContent) lines.trace = redactedLines(lines.trace);
      isOver = true;
      onChange(log);
    },
    get isOver() {
      return isOver;
    },
    stored,
  };
  return log;
};

/** The public view of a trace. */
const redactedLines = (lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : redactTrace(parseTrace(lines.join('\n'))).map((entry) => stringify(entry));

/** Cycles, bigints and functions in a tool's result must not lose its line. */
const stringify = configure({ deterministic: false }) as (entry: object) => string; // an object always serializes
