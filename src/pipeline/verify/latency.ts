import type { PhaseRow } from '../../phase/row.js';
import type { Check } from './check.js';
import { counts, guardsFrom, isGuard, rowsOf, type GuardLocation, type GraphLocation } from './graph-location.js';
import { judgingState, overlapCost, overlappingRows } from './overlap-checks.js';
import type { StateCosts, Subject } from './subject.js';

/** Guards that may together take longer than they are given. A guard without a deadline may take any time. */
export const overBudget: Check = {
  severity: 'error',
  find: (subject) => {
    const { id, latency } = subject;
    if (!latency) return [];
    const { ms, moments } = latency.longestRun(costsOf(subject));
    if (ms <= latency.budgetMs) return [];
    const open = subject.roots.flatMap(guardsFrom).filter((guard) => counts(guard) && deadlineOf(guard) === Infinity);
    const names = open.map(({ node }) => `"${node.id}"`).join(', ');
    const detail =
      ms === Infinity ? `nothing bounds ${names}, which have no deadlineMs` : `up to ${ms} ms, ${latency.budgetMs} are allowed`;
    return [{ path: id, detail, shows: moments }];
  },
};

const costsOf = ({ roots }: Subject): StateCosts => {
  const costs = new Map<string, number>();
  const rows = new Set(roots.flatMap(guardsFrom).filter(counts).flatMap(rowsOf));
  for (const row of rows) {
    const ms = roots.map((root) => costOf(root, row)).reduce((sum, one) => sum + one, 0);
    costs.set(row.loopState, (costs.get(row.loopState) ?? 0) + ms);
  }
  const beside = overlapCost(roots, deadlineOf);
  return beside > 0 ? costs.set(judgingState, beside) : costs;
};

/** The longest way through a part in one phase: side by side the slowest counts, else all of them. */
const costOf = (place: GraphLocation, row: PhaseRow): number => {
  if (isGuard(place)) return counts(place) && waitsIn(place, row) ? deadlineOf(place) : 0;
  const costs = place.children.map((child) => costOf(child, row));
  const { node } = place;
  if (node.kind !== 'parallel' && node.kind !== 'branch') return costs.reduce((sum, one) => sum + one, 0);
  const slowest = Math.max(0, ...costs);
  // A stale verdict is given again, once what its siblings made of the payload is known.
  return node.staleVerdicts === 'rerun' && costs.length > 1 ? 2 * slowest : slowest;
};

/** Whether the run waits for a guard in a phase: not for one that judges beside the model, which is waited for later. */
const waitsIn = (guard: GuardLocation, row: PhaseRow): boolean =>
  rowsOf(guard).includes(row) && !overlappingRows(guard).includes(row);

const deadlineOf = ({ node: { policy } }: GuardLocation): number => policy?.deadlineMs ?? Infinity;
