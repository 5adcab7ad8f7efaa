import { createDecider, type Decision, type LoopSnapshot } from './decide.js';
import { doneEvent, type LoopLimits } from './machine.js';
import { type Outcome, type OutcomeKind, outcomesOf, type ActivityName } from './activity.js';
import type { Moment, LongestRun, StateCosts, CounterExample, Scene } from '../pipeline/verify/check.js';

/** A key of the machine's state: equal keys have equal continuations. */
const stateKeyOf = ({ snapshot: { value, context } }: Decision): string => JSON.stringify([value, context]);

/** All possible outcomes of the activities under way. */
const outcomesAt = ({ snapshot }: Decision) =>
  activitiesUnderWay(snapshot).flatMap((activity) =>
    outcomesOf[activity].flatMap(outcomesLike).map((outcome) => ({ outcome, event: doneEvent(activity, outcome) })),
  );

/** The activities that the machine waits for, also those started in earlier states. */
export const activitiesUnderWay = ({ children }: LoopSnapshot): ActivityName[] => Object.keys(children) as ActivityName[]; // their ids are their names

const outcomesLike = (kind: OutcomeKind): Outcome[] => {
  if (kind === 'reviewed')
    return [...[0, 1].map((toolCalls) => ({ kind, toolCalls })), { kind, toolCalls: 0, shouldContinue: true }];
  if (kind === 'executed') return [{ kind, stop: false }];
  return [{ kind }];
};

/** The run with the highest cost, given the cost of each state of the loop. */
export const longestRun = (costs: StateCosts, limits: LoopLimits): LongestRun => {
  const decider = createDecider();
  const known = new Map<string, LongestRun>();
  return longestFrom(decider.start(limits), { decider, costs, known });
};

interface Search {
  readonly decider: ReturnType<typeof createDecider>;
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

/** A path through the machine so far. */
interface Walk {
  readonly decision: Decision;
  readonly moments: CounterExample;
  /** The progress of a scene: `hasStarted` after the moment before it, `isShown` after the scene itself. */
  readonly hasStarted: boolean;
  readonly isShown: boolean;
}

/**
 * A run of the loop that shows a scene, with the fewest states, found by walking the machine. Undefined if no run within the limits shows
 * it.
 */
export const runShowing = (scene: Scene, limits: LoopLimits): CounterExample | undefined => {
  const decider = createDecider();
  const started = decider.start(limits);
  const walks: Walk[] = [withEntered(scene, { decision: started, moments: [], hasStarted: !scene.before, isShown: false })];
  const seen = new Set<string>();
  for (const walk of walks) {
    if (isShowing(scene, walk)) return walk.moments;
    const key = JSON.stringify([stateKeyOf(walk.decision), walk.hasStarted, walk.isShown]);
    if (seen.has(key)) continue;
    seen.add(key);
    for (const { outcome, event } of outcomesAt(walk.decision)) {
      if (isOffScene(scene, walk, outcome)) continue;
      walks.push(withEntered(scene, { ...walk, decision: decider.next(walk.decision.snapshot, event) }));
    }
  }
  return undefined;
};

/** The run has ended as the scene requires; by default successfully. */
const isShowing = ({ ends }: Scene, { decision: { snapshot }, isShown }: Walk): boolean =>
  isShown && snapshot.status === 'done' && (ends !== undefined || snapshot.value === 'success');

/** The activity of the scene's state has another outcome than the scene requires. */
const isOffScene = ({ state, ends }: Scene, { moments, isShown }: Walk, { kind }: Outcome): boolean =>
  ends !== undefined && isShown && moments.at(-1)?.state === state && kind !== ends;

/** Adds the entered states to a walk, with the scene's events in them. */
const withEntered = ({ state, happens, before }: Scene, walk: Walk): Walk => {
  let { hasStarted, isShown } = walk;
  const entered = walk.decision.entered.map((one): Moment => {
    if (!isShown && hasStarted && one.state === state) {
      isShown = true;
      return { state, happens };
    }
    if (hasStarted || one.state !== before?.state) return { state: one.state };
    hasStarted = true;
    return before;
  });
  return { ...walk, hasStarted, isShown, moments: [...walk.moments, ...entered] };
};
