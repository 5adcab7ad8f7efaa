import { count } from '../components/format.js';
import { wordOf } from '../components/signal.js';
import type { ComparedRow, Comparison, RunSummary } from '../../protocol/runs.js';

/** A recorded run after a guard was replayed over it. */
export interface ReplayedRun {
  readonly run: RunSummary;
  readonly comparison?: Comparison;
  /** The reason why it could not be replayed. */
  readonly error?: Error;
}

/** A verdict that changed. */
export interface ChangedVerdict {
  readonly run: RunSummary;
  readonly row: ComparedRow;
  readonly comparison: Comparison;
}

/** The effect of a verdict on a run: a pass and a missing guard have the same. */
const effectOf = (verdict: ComparedRow['before']): string =>
  verdict === undefined || verdict.verdict === 'pass' ? 'pass' : JSON.stringify([verdict.verdict, verdict.reason]);

/** The verdicts that differ between a run and its replay. Verdicts after the end of the replay are unknown and do not count. */
export const changedVerdicts = ({ run, comparison }: ReplayedRun): ChangedVerdict[] =>
  (comparison?.rows ?? [])
    .filter((row) => effectOf(row.before) !== effectOf(row.after))
    .filter((row) => row.after !== undefined || comparison?.endedAt === undefined)
    .flatMap((row) => (comparison ? { run, row, comparison } : []));

/** The short name of a change, under which it is counted. */
export const changeName = ({ before, after }: ComparedRow): string => {
  const [was, is] = [wordOf(before?.verdict), wordOf(after?.verdict)];
  return was === is ? `${was}, different reason` : `${was} → ${is}`;
};

/** The number of changes by name, the most frequent first. */
export const countChanges = (changed: readonly ChangedVerdict[]): [name: string, count: number][] => {
  const byName = Map.groupBy(changed, ({ row }) => changeName(row));
  return [...byName].map(([name, all]): [string, number] => [name, all.length]).toSorted(([, a], [, b]) => b - a);
};

/** The outcome of all replays in one sentence. */
export const sumUp = (replayed: readonly ReplayedRun[]): string => {
  const done = replayed.filter(({ comparison }) => comparison);
  const changed = done.filter((one) => changedVerdicts(one).length > 0);
  const otherEnd = done.filter(
    ({ comparison }) => comparison && comparison.endedAt === undefined && comparison.before.status !== comparison.after.status,
  );
  if (changed.length === 0) return `No verdict changed in ${count(done.length, 'run')}.`;
  const ends = otherEnd.length === 0 ? '' : ` ${count(otherEnd.length, 'run')} would have ended with a different status.`;
  return `Verdicts changed in ${changed.length} of ${count(done.length, 'run')}.${ends}`;
};
