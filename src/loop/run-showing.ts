import type { CounterExample, Moment, Scene } from '../pipeline/verify/check.js';
import { createDecider, type Decision } from './decide.js';
import type { LoopLimits } from './machine.js';
import type { Outcome } from './outcome.js';
import { outcomesAt, stateKeyOf } from './walk.js';

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
