import type { RunEvent } from '../../../schemas/index.js';
import type { PersistedState } from './persisted-state.js';
import { applyPatch, diff, type Patch, type Settled } from './patch.js';

/**
 * A run's state as a log folds it. Of its fields the events, the ids of parts and, while a run goes forward, its steps only grow: what is
 * there of them is not looked at again, so that a checkpointed section costs the same after ten steps and after ten thousand.
 */
interface StateLog {
  readonly state: PersistedState;
  /** What a checkpointed section that ran here has made of the run. */
  change(now: PersistedState): Patch | undefined;
  /** Takes what was kept of a checkpointed section; `now` where it ran here. */
  append(patch: Patch | undefined, now: PersistedState | undefined): void;
}

/** @param started the state that the run begins with; none for a run that begins anew */
export const createStateLog = (started: PersistedState | undefined): StateLog => {
  let state = (started ?? {}) as PersistedState; // the first stretch of a new run makes it whole
  return {
    get state() {
      return state;
    },
    change: (now) => diff(state, now, settledIn(state, now)),
    append: (patch, now) => {
      if (patch) state = applyPatch(state, patch) as PersistedState;
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

const settledIn = (
  { events = [], usedPartIds = [], steps = [], accepted = [] }: Partial<PersistedState>,
  now: PersistedState,
): Settled => {
  const isForward = now.events.slice(events.length).every(isStepForward);
  const closed = (list: readonly unknown[]): number => (isForward ? Math.max(0, list.length - openSteps) : 0);
  return { events: events.length, usedPartIds: usedPartIds.length, steps: closed(steps), accepted: closed(accepted) };
};

const isStepForward = (event: RunEvent): boolean => event.type !== 'state-enter' || forward.has(event.state);
