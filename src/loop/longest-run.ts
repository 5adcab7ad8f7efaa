import type { Moment, LongestRun, StateCosts } from '../pipeline/verify/check.js';
import { createDecider, type Decider, type Decision } from './decide.js';
import type { LoopLimits } from './machine.js';
import type { OutcomeKind } from './outcome.js';
import { outcomesAt, stateKeyOf } from './walk.js';

/** The run with the highest cost, given the cost of each state of the loop. */
export const longestRun = (costs: StateCosts, limits: LoopLimits): LongestRun => {
  const decider = createDecider();
  const known = new Map<string, LongestRun>();
  return longestFrom(decider.start(limits), { decider, costs, known });
};

interface Search {
  readonly decider: Decider;
  readonly costs: StateCosts;
  readonly known: Map<string, LongestRun>;
}

const longestFrom = (decision: Decision, search: Search): LongestRun => {
  const here = spentIn(decision, search.costs);
  const key = stateKeyOf(decision);
  let rest = search.known.get(key);
  if (!rest) {
    rest = longestAfter(decision, search);
    search.known.set(key, rest);
  }
  return { ms: here.ms + rest.ms, moments: [...here.moments, ...rest.moments] };
};

const nothing: LongestRun = { ms: 0, moments: [] };

const longestAfter = (decision: Decision, search: Search): LongestRun => {
  const { decider, costs } = search;
  const state = decision.entered.at(-1)?.state ?? '';
  const runs = outcomesAt(decision)
    .filter(({ outcome }) => costs.has(state) || !needsGuard.has(outcome.kind))
    .map(({ event }) => longestFrom(decider.next(decision.snapshot, event), search));
  return runs.reduce((longest, run) => (run.ms > longest.ms ? run : longest), runs[0] ?? nothing);
};

/** Outcomes that only a guard causes. */
const needsGuard: ReadonlySet<OutcomeKind> = new Set<OutcomeKind>(['retry', 'trip', 'same-model']);

const spentIn = ({ entered }: Decision, costs: StateCosts): LongestRun => ({
  ms: entered.reduce((sum, { state }) => sum + (costs.get(state) ?? 0), 0),
  moments: entered.map(({ state }): Moment => {
    const ms = costs.get(state);
    return ms ? { state, happens: ms === Infinity ? 'no deadline' : `${ms} ms` } : { state };
  }),
});
