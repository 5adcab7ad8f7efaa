import { spreadOf } from '../../../src/trace/percentile.js';
import type { VerdictKind } from '../../../src/verdict.js';
import type { GuardTotal, GuardTotals } from '../../protocol/runs.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import type { RunQuery } from '../store/run-store.js';
import { allLines, linesOf, type Studio } from '../studio.js';

type GuardEvent = Extract<Extract<StudioEntry, { kind: 'event' }>['event'], { type: 'guard' }>;

/** What each guard did in the runs of a query, the one that tripped most first. */
export const guardTotals = async (studio: Studio, query: RunQuery): Promise<GuardTotals> => {
  const { runs } = await studio.archive.list(query);
  const totals = new Map<string, Heard>();
  for (const { runId } of runs) {
    const lines = await linesOf(studio, { runId, kind: 'entry', ...allLines });
    for (const event of lines.flatMap(guardEvent)) {
      const heard = totals.get(event.processorId) ?? { verdicts: { ...none }, tripped: new Set(), times: [] };
      totals.set(event.processorId, heard);
      heard.verdicts[event.verdict] += 1;
      heard.times.push(event.durationMs);
      if (event.verdict === 'trip') heard.tripped.add(runId);
    }
  }
  const guards = [...totals].map(([guard, heard]) => totalOf(guard, heard));
  return {
    runs: runs.length,
    guards: guards.toSorted((a, b) => b.trippedRuns - a.trippedRuns || a.guard.localeCompare(b.guard)),
  };
};

interface Heard {
  readonly verdicts: Record<VerdictKind, number>;
  readonly tripped: Set<string>;
  readonly times: number[];
}

const none: Readonly<Record<VerdictKind, number>> = { pass: 0, edit: 0, retry: 0, trip: 0, unavailable: 0 };

const totalOf = (guard: string, { verdicts, tripped, times }: Heard): GuardTotal => ({
  guard,
  verdicts,
  trippedRuns: tripped.size,
  ...spreadOf(times),
});

const guardEvent = (line: string): GuardEvent[] => {
  if (!line.includes('"type":"guard"')) return []; // most lines are words
  const entry = JSON.parse(line) as StudioEntry; // our own lines
  return entry.kind === 'event' && entry.event.type === 'guard' ? [entry.event] : [];
};
