import type { RunEvent } from '../../../schemas/index.js';
import type { KeptState } from './kept-state.js';
import { applyPatch, diff, type Patch, type Settled } from './patch.js';

/**
 * A run's state as a log folds it. Of its fields the events, the ids of parts and, while a run goes forward, its steps only grow: what is
 * there of them is not looked at again, so that a stretch costs the same after ten steps and after ten thousand.
 */
export interface StateLog {
  readonly state: KeptState;
  /** What a stretch that ran here has made of the run. */
  change(now: KeptState): Patch | undefined;
  /** Takes what was kept of a stretch; `now` where it ran here. */
  append(patch: Patch | undefined, now: KeptState | undefined): void;
}

/** @param begun the state that the run begins with; none for a run that begins anew */
export const createStateLog = (begun: KeptState | undefined): StateLog => {
  let state = (begun ?? {}) as KeptState; // the first stretch of a new run makes it whole
  return {
    get state() {
      return state;
    },
    change: (now) => diff(state, now, settledIn(state, now)),
    append: (patch, now) => {
      if (patch) state = applyPatch(state, patch) as KeptState;
      // Both never change. What they share with the run's next state is known to be the same.
      if (now) state = { ...state, list: now.list, events: now.events };
    },
  };
};

/** The states of the machine in which nothing but the last step changes. */
const forward: ReadonlySet<string> = new Set([
  'step.preparing',
  'step.requesting',
  'step.calling',
  'step.reviewing',
  'step.tools',
  'step.deciding',
]);

/** Steps that may still change: the one under way, and the one that was just ended. */
const openSteps = 2;

const settledIn = ({ events = [], usedPartIds = [], steps = [], accepted = [] }: Partial<KeptState>, now: KeptState): Settled => {
  const isForward = now.events.slice(events.length).every(isStepForward);
  const closed = (list: readonly unknown[]): number => (isForward ? Math.max(0, list.length - openSteps) : 0);
  return { events: events.length, usedPartIds: usedPartIds.length, steps: closed(steps), accepted: closed(accepted) };
};

const isStepForward = (event: RunEvent): boolean => event.type !== 'state-enter' || forward.has(event.state);
