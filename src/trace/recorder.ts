import type { RunEvent } from '../../schemas/index.js';
import { phaseRow } from '../phase/table.js';
import type { Phase } from '../phase/row.js';
import type { ConflictReport, GuardReport } from '../phase/scope.js';

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

/** Keeps what happened in a run, in order. */
export interface Recorder {
  readonly events: readonly RunEvent[];
  record(fact: RunFact): void;
  guard(report: GuardReport): void;
  conflict(report: ConflictReport): void;
  /** Writes down the sums of guards that are called per chunk; the loop calls it when a step's stream ends. */
  flush(): void;
}

interface Sum {
  processorId: string;
  phase: string;
  path: string;
  durationMs: number;
  calls: number;
  edits: number;
}

/** Makes a recorder for one run. */
export const createRecorder = ({ runId, position, wallClock, onEvent }: RecorderOptions): Recorder => {
  const events: RunEvent[] = [];
  const sums = new Map<string, Sum>();
  const record = (fact: RunFact) => {
    const event = { runId, seq: events.length, at: wallClock(), ...position(), ...fact } as RunEvent;
    events.push(event);
    notify(onEvent, event);
  };
  const single = ({ verdict, processorId, phase, path, durationMs }: GuardReport) => {
    const said = verdict.kind === 'trip' || verdict.kind === 'retry' ? { reason: verdict.reason, metadata: verdict.metadata } : {};
    const edits = verdict.kind === 'edit' ? 1 : 0;
    record({ type: 'guard', processorId, phase, path, verdict: verdict.kind, durationMs, calls: 1, edits, ...said });
  };
  return {
    events,
    record,
    guard: (report) => {
      const goesOn = report.verdict.kind === 'pass' || report.verdict.kind === 'edit';
      if (goesOn && phaseRow(report.phase as Phase).cadence === 'chunk') addTo(sums, report);
      else single(report);
    },
    conflict: ({ authors, ...report }) => record({ type: 'merge-conflict', ...report, authors: [...authors] }),
    flush: () => {
      for (const sum of sums.values()) record({ type: 'guard', verdict: sum.edits > 0 ? 'edit' : 'pass', ...sum });
      sums.clear();
    },
  };
};

const addTo = (sums: Map<string, Sum>, { processorId, phase, path, durationMs, verdict }: GuardReport): void => {
  const key = `${phase}/${path}`;
  let sum = sums.get(key);
  if (!sum) sums.set(key, (sum = { processorId, phase, path, durationMs: 0, calls: 0, edits: 0 }));
  sum.durationMs += durationMs;
  sum.calls += 1;
  if (verdict.kind === 'edit') sum.edits += 1;
};

/** A listener is somebody else's code: its failure is not the run's. */
const notify = (onEvent: RecorderOptions['onEvent'], event: RunEvent): void => {
  try {
    onEvent?.(event);
  } catch {
    // The event stays in the record; a listener that throws only misses its own news.
  }
};
