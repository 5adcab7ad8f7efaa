import type { Change, RunEvent } from '../../schemas/run-event.js';
import type { GuardReport, Reports, StaleReport } from '../phase/scope.js';
import { isPerChunk } from '../phase/table.js';
import type { Author } from '../verdict.js';
import { attempted } from '../phase/awaitable.js';
import { computed } from '../phase/plain-data.js';

type Common = 'runId' | 'seq' | 'at' | 'stepNumber' | 'attempt';
/** An event from its reporter. The recorder adds its place and time. */
type RunFact = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, Common> : never) : never;

/** The place in the run at which something happens. */
export interface Position {
  stepNumber: number;
  attempt: number;
}

interface RecorderOptions {
  runId: string;
  /** The current step and attempt of the run; the value may change with it. */
  position: () => Readonly<Position>;
  /** Epoch milliseconds. */
  wallClock: () => number;
  /** Called with each event as it happens; its errors do not reach the run. */
  onEvent?: (event: RunEvent) => void;
}

/**
 * Records the events of a run, in order. Late events, from guards that timed out, are dropped. The exceptions are late aborts and
 * shadow guards, for which the run does not wait.
 */
export interface Recorder extends Reports {
  readonly events: readonly RunEvent[];
  record(fact: RunFact): void;
  /** Continues from the state after these events, without reporting them again. */
  rewind(before: readonly RunEvent[]): void;
  /** The number of shadows that have yet to report. */
  readonly openShadows: number;
  /** Records the sums of guards that are called per chunk. The loop calls it when a step's stream ends. */
  flush(): void;
}

/** The calls and edits of a per-chunk guard in one step. */
interface Sum {
  durationMs: number;
  calls: number;
  edits: number;
  /** The edits, if they are recorded. */
  changes?: Change[];
}

/** The maximum number of a stream's changes that are recorded. */
const mostChanges = 1_000;

export const createRecorder = ({ runId, position, wallClock, onEvent }: RecorderOptions): Recorder => {
  const events: RunEvent[] = [];
  const sums = new Map<Author, Sum>();
  const tally = createTally();
  let isOver = false;
  let openShadows = 0;
  const record = (fact: RunFact, at: Readonly<Position> = position()) => {
    if (isOver && fact.type !== 'guard-shadow' && fact.type !== 'late-abort') return; // abandoned work may still report
    isOver ||= fact.type === 'run-finish';
    const { stepNumber, attempt } = at;
    const event: RunEvent = { runId, seq: events.length, at: wallClock(), stepNumber, attempt, ...fact };
    events.push(event);
    attempted(() => onEvent?.(event)); // the event stays in the record; only the listener that throws misses it
  };
  const count = (fact: CountedFact, at: Position = position()) => {
    const isStop = fact.type === 'guard-shadow' && fact.verdict !== 'pass' && fact.verdict !== 'edit';
    if (isPerChunk(fact.phase) && !isStop && !isOver) tally.add({ fact, at });
    else record(fact, at);
  };
  return {
    events,
    record,
    rewind: (before) => {
      events.splice(0, events.length, ...before);
      isOver = false;
    },
    reportGuard: (report) => {
      const { verdict } = report;
      const { kind } = verdict;
      if (verdict.kind === 'pass' && verdict.bypass) return count(bypassFact(report, verdict.bypass.reason));
      const isSummed = (kind === 'pass' || kind === 'edit') && isPerChunk(report.author.phase);
      const sum = isSummed ? computed(sums, report.author, noCalls) : undefined;
      if (sum) addToSum(sum, report);
      else record(factOf(report));
    },
    reportConflict: ({ authors, ...report }) => record({ type: 'merge-conflict', ...report, authors: [...authors] }),
    reportStale: (report) => count(staleFact(report)),
    reportLateAbort: ({ author, reason }) => record({ type: 'late-abort', ...author, reason }),
    openShadow: () => {
      const at = position();
      openShadows += 1;
      return (report) => {
        openShadows -= 1;
        count({ ...factOf(report), type: 'guard-shadow' }, at);
      };
    },
    get openShadows() {
      return openShadows;
    },
    flush: () => {
      if (sums.size === 0 && tally.isEmpty()) return;
      const [finished, counted] = [[...sums], tally.take()];
      sums.clear(); // first, because a listener may call guards again
      for (const { fact, at } of counted) record(fact, at);
      for (const [author, sum] of finished)
        record({ type: 'guard', verdict: sum.edits > 0 ? 'edit' : 'pass', ...author, ...sum });
    },
  };
};

const bypassFact = ({ author, durationMs }: GuardReport, reason: string): CountedFact => ({
  type: 'guard-bypass',
  ...author,
  reason,
  durationMs,
  calls: 1,
});

const addToSum = (sum: Sum, { durationMs, verdict }: GuardReport): void => {
  sum.durationMs += durationMs;
  sum.calls += 1;
  if (verdict.kind !== 'edit') return;
  sum.edits += 1;
  if (verdict.changes) sum.changes = [...(sum.changes ?? []), ...verdict.changes].slice(0, mostChanges);
};

/** The sum of a guard that is called per chunk, before its first call. */
const noCalls = (): Sum => ({ durationMs: 0, calls: 0, edits: 0 });

const staleFact = ({ isRerun: rerun, readers, authors, ...report }: StaleReport): CountedFact => {
  const guards = { readers: [...readers], authors: [...authors] };
  return { type: 'stale-verdict', ...report, rerun, ...guards, calls: 1 };
};

const factOf = ({ verdict, author, durationMs }: GuardReport): Extract<RunFact, { type: 'guard' }> => {
  const { processorId, phase, path } = verdict.kind === 'pass' || verdict.kind === 'edit' ? author : verdict;
  const reasons =
    verdict.kind === 'trip' || verdict.kind === 'retry' ? { reason: verdict.reason, metadata: verdict.metadata } : {};
  const edits = verdict.kind === 'edit' ? 1 : 0;
  const kind = verdict.kind === 'trip' && verdict.outage ? 'unavailable' : verdict.kind; // an outage that blocks is no objection
  const changes = verdict.kind === 'edit' && verdict.changes ? { changes: [...verdict.changes] } : {};
  return { type: 'guard', processorId, phase, path, verdict: kind, durationMs, calls: 1, edits, ...reasons, ...changes };
};

/** A fact that is reported for every chunk of a stream, and recorded once for a step. */
type CountedFact = Extract<RunFact, { type: 'guard-bypass' | 'guard-shadow' | 'stale-verdict' }>;

/** A fact, and its place in the run. */
interface Placed {
  readonly fact: CountedFact;
  readonly at: Position;
}

/** The fields that are added up; all others must be equal. */
type Counts = Partial<Pick<Extract<RunEvent, { type: 'guard-shadow' }>, 'calls' | 'edits' | 'durationMs' | 'verdict'>>;

/** Counts equal facts. */
const createTally = () => {
  const counted = new Map<string, Placed>();
  return {
    isEmpty: () => counted.size === 0,
    add: (placed: Placed): void => {
      const key = keyOf(placed);
      const known = counted.get(key);
      counted.set(key, known ? { ...known, fact: addedUp(known.fact, placed.fact) } : placed);
    },
    /** The counts since the last call, in the order of their first report. */
    take: (): Placed[] => {
      const all = [...counted.values()];
      counted.clear();
      return all;
    },
  };
};

const keyOf = ({ fact, at }: Placed): string => {
  const { calls: _calls, edits: _edits, durationMs: _ms, verdict: _verdict, ...same }: CountedFact & Counts = fact;
  return JSON.stringify([same, at]);
};

const addedUp = (first: CountedFact & Counts, next: CountedFact & Counts): CountedFact => {
  const calls = first.calls + next.calls;
  const durationMs = (first.durationMs ?? 0) + (next.durationMs ?? 0);
  if (first.verdict === undefined) return { ...first, calls, ...(first.durationMs !== undefined && { durationMs }) };
  const edits = (first.edits ?? 0) + (next.edits ?? 0);
  return { ...first, calls, edits, durationMs, verdict: edits > 0 ? 'edit' : 'pass' } as CountedFact; // a shadow's: it has a verdict
};
