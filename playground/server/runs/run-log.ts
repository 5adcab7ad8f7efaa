import { configure } from 'safe-stable-stringify';
import type { RunSummary } from '../../protocol/runs.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import type { LineKind } from '../store/run-store.js';
import type { EntryFact } from './entry-fact.js';
import { createSummary, type Ending, type RunHead } from './summary.js';

/** What happens in one run, while it goes on: entries as lines of JSON, which nobody changes any more. */
export interface RunLog {
  readonly runId: string;
  readonly summary: RunSummary;
  /** What the person said, in full. */
  readonly said: string;
  /** The accepted answer in full. */
  readonly answer: string;
  /** The lines of a kind from a number on. */
  linesFrom(kind: LineKind, seq: number): readonly string[];
  add(fact: EntryFact): void;
  /** Takes note of how the run ended, where no event has told. */
  end(ending: Ending): void;
  /** Nothing more will happen. */
  close(): void;
  readonly isOver: boolean;
  /** Settles with the next thing that happens. */
  changed(): Promise<void>;
}

export interface RunLogOptions {
  readonly head: RunHead;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Told of each change. */
  readonly onChange: (log: RunLog) => void;
}

/** No more entries are kept of one run; what happens after that is only counted in its summary's ending. */
const mostEntries = 200_000;

/** Begins the log of a run. */
export const createRunLog = ({ head, now, onChange }: RunLogOptions): RunLog => {
  const fold = createSummary(head, now());
  const lines: Record<LineKind, string[]> = { entry: [], trace: [] };
  let isOver = false;
  let waiting = Promise.withResolvers<void>();
  const told = () => {
    waiting.resolve();
    waiting = Promise.withResolvers();
    onChange(log);
  };
  const log: RunLog = {
    runId: head.runId,
    said: head.said,
    get summary() {
      return fold.summary;
    },
    get answer() {
      return fold.answer;
    },
    linesFrom: (kind, seq) => lines[kind].slice(seq),
    add: (fact) => {
      if (lines.entry.length >= mostEntries && fact.kind !== 'event') return;
      const entry = { seq: lines.entry.length, at: now(), ...fact } as StudioEntry; // a fact of some kind with what every entry has
      fold.add(entry);
      lines.entry.push(toLine(entry));
      told();
    },
    end: (ending) => {
      fold.end(ending);
      told();
    },
    close: () => {
      isOver = true;
      told();
    },
    get isOver() {
      return isOver;
    },
    changed: () => waiting.promise,
  };
  return log;
};

/** Circles, big numbers and functions of a tool's result are no reason to lose its line. */
const toLine = (entry: StudioEntry): string => stringify(entry);

const stringify = configure({ deterministic: false }) as (entry: StudioEntry) => string; // an object has a line
