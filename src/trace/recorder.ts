import type { RunEvent } from '../../schemas/index.js';
import type { Phase } from '../phase/row.js';
import type { ConflictReport, GuardReport, StaleReport } from '../phase/scope.js';
import { phaseRow } from '../phase/table.js';
import type { Author } from '../verdict.js';

type Common = 'runId' | 'seq' | 'at' | 'stepNumber' | 'attempt';
/** An event as its reporter says it; where and when it happened is the recorder's to add. */
export type RunFact = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, Common> : never) : never;

/** The place in the run at which something happens. */
export interface Position {
  stepNumber: number;
  attempt: number;
}

export interface RecorderOptions {
  runId: string;
  /** Where the run is now. */
  position: () => Position;
  /** Epoch milliseconds. */
  wallClock: () => number;
  /** Told of each event as it happens; what it throws does not reach the run. */
  onEvent?: (event: RunEvent) => void;
}

/** Keeps what happened in a run, in order. What comes after its end, from guards that were given up on, is not heard. */
export interface Recorder {
  readonly events: readonly RunEvent[];
  record(fact: RunFact): void;
  guard(report: GuardReport): void;
  conflict(report: ConflictReport): void;
  stale(report: StaleReport): void;
  /** Writes down the sums of guards that are called per chunk; the loop calls it when a step's stream ends. */
  flush(): void;
}

/** What a guard that is called per chunk did in one step. */
interface Sum {
  durationMs: number;
  calls: number;
  edits: number;
}

/** Makes a recorder for one run. */
export const createRecorder = ({ runId, position, wallClock, onEvent }: RecorderOptions): Recorder => {
  const events: RunEvent[] = [];
  const sums = new Map<Author, Sum>();
  const staleSums = new Map<string, { report: StaleReport; calls: number }>();
  const record = (fact: RunFact) => {
    if (events.at(-1)?.type === 'run-finish') return; // work that was given up on may still report
    const event: RunEvent = { runId, seq: events.length, at: wallClock(), ...position(), ...fact };
    events.push(event);
    notify(onEvent, event);
  };
  const addToSum = (sum: Sum, { durationMs, verdict }: GuardReport) => {
    sum.durationMs += durationMs;
    sum.calls += 1;
    if (verdict.kind === 'edit') sum.edits += 1;
  };
  return {
    events,
    record,
    guard: (report) => {
      const { kind } = report.verdict;
      const sum = kind === 'pass' || kind === 'edit' ? sumOf(sums, report.author) : undefined;
      if (sum) addToSum(sum, report);
      else record(factOf(report));
    },
    conflict: ({ authors, ...report }) => record({ type: 'merge-conflict', ...report, authors: [...authors] }),
    stale: (report) => {
      if (!isPerChunk(report.phase)) return record(staleFact(report, 1));
      const key = JSON.stringify(report);
      staleSums.set(key, { report, calls: (staleSums.get(key)?.calls ?? 0) + 1 });
    },
    flush: () => {
      const [finished, stale] = [[...sums], [...staleSums.values()]];
      sums.clear(); // first: whoever is told of an event may call guards again
      staleSums.clear();
      for (const { report, calls } of stale) record(staleFact(report, calls));
      for (const [author, sum] of finished)
        record({ type: 'guard', verdict: sum.edits > 0 ? 'edit' : 'pass', ...author, ...sum });
    },
  };
};

/** The sum of a guard that is called per chunk; nothing for one that is called more seldom. */
const sumOf = (sums: Map<Author, Sum>, author: Author): Sum | undefined => {
  const known = sums.get(author);
  if (known || !isPerChunk(author.phase)) return known;
  const sum = { durationMs: 0, calls: 0, edits: 0 };
  sums.set(author, sum);
  return sum;
};

/** Whether the guards of a phase are called for every chunk, so that what they do is summed up. */
const isPerChunk = (phase: string): boolean => phaseRow<Phase>(phase as Phase).cadence === 'chunk'; // reports name phases

const staleFact = ({ isRerun, readers, authors, ...report }: StaleReport, calls: number): RunFact => ({
  type: 'stale-verdict',
  ...report,
  rerun: isRerun,
  readers: [...readers],
  authors: [...authors],
  calls,
});

const factOf = ({ verdict, author, durationMs }: GuardReport): RunFact => {
  const { processorId, phase, path } = verdict.kind === 'pass' || verdict.kind === 'edit' ? author : verdict;
  const said = verdict.kind === 'trip' || verdict.kind === 'retry' ? { reason: verdict.reason, metadata: verdict.metadata } : {};
  const edits = verdict.kind === 'edit' ? 1 : 0;
  return { type: 'guard', processorId, phase, path, verdict: verdict.kind, durationMs, calls: 1, edits, ...said };
};

/** A listener is somebody else's code: its failure is not the run's. */
const notify = (onEvent: RecorderOptions['onEvent'], event: RunEvent): void => {
  try {
    onEvent?.(event);
  } catch {
    // The event stays in the record; a listener that throws only misses its own news.
  }
};
