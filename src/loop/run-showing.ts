import type { CounterExample, Moment, Scene } from '../pipeline/verify/defect-location.js';
import { createDecider, type Decision } from './decide.js';
import type { LoopLimits } from './machine.js';
import type { Outcome } from './outcome.js';
import { outcomesAt, stateKeyOf } from './walk.js';

/** A way through the machine so far. */
interface Walk {
  readonly decision: Decision;
  readonly moments: CounterExample;
  /** How much of a scene has been shown: what comes before it, and the scene itself. */
  readonly isBegun: boolean;
  readonly isShown: boolean;
}

/**
 * A run of the loop that shows a scene, found by walking the machine: one with the fewest states. Undefined where no run within the
 * limits does.
 */
export const runShowing = (scene: Scene, limits: LoopLimits): CounterExample | undefined => {
  const decider = createDecider();
  const started = decider.start(limits);
  const walks: Walk[] = [noted(scene, { decision: started, moments: [], isBegun: !scene.before, isShown: false })];
  const seen = new Set<string>();
  for (const walk of walks) {
    if (isShowing(scene, walk)) return walk.moments;
    const key = JSON.stringify([stateKeyOf(walk.decision), walk.isBegun, walk.isShown]);
    if (seen.has(key)) continue;
    seen.add(key);
    for (const { outcome, event } of outcomesAt(walk.decision)) {
      if (isOffScene(scene, walk, outcome)) continue;
      walks.push(noted(scene, { ...walk, decision: decider.next(walk.decision.snapshot, event) }));
    }
  }
  return undefined;
};

/** A run that has ended as the scene says, or well where it says nothing. */
const isShowing = ({ ends }: Scene, { decision: { snapshot }, isShown }: Walk): boolean =>
  isShown && snapshot.status === 'done' && (ends !== undefined || snapshot.value === 'success');

/** The activity of the scene's state ends as the scene says. */
const isOffScene = ({ state, ends }: Scene, { moments, isShown }: Walk, { kind }: Outcome): boolean =>
  ends !== undefined && isShown && moments.at(-1)?.state === state && kind !== ends;

/** The states that were entered, with what the scene has happen in them. */
const noted = ({ state, happens, before }: Scene, walk: Walk): Walk => {
  let { isBegun, isShown } = walk;
  const entered = walk.decision.entered.map((one): Moment => {
    if (!isShown && isBegun && one.state === state) {
      isShown = true;
      return { state, happens };
    }
    if (isBegun || one.state !== before?.state) return { state: one.state };
    isBegun = true;
    return before;
  });
  return { ...walk, isBegun, isShown, moments: [...walk.moments, ...entered] };
};
