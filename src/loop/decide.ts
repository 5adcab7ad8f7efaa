import { initialTransition, transition, type ExecutableActionsFrom, type SnapshotFrom } from 'xstate';
import { getLoopMachine, type LoopContext, type LoopEvent, type LoopInput } from './machine.js';
import type { ActivityName } from './activity.js';
import { computed } from '../phase/plain-data.js';

type LoopMachine = ReturnType<typeof getLoopMachine>;

/** A state of the machine with its counters. */
export type LoopSnapshot = SnapshotFrom<LoopMachine>;

/** A state of the run, and the activities that start and stop on entering it. Decisions are shared between runs and are read only. */
export interface Decision {
  readonly snapshot: LoopSnapshot;
  readonly starts: readonly ActivityName[];
  /** Activities whose state was left: the one that has ended, and parallel ones whose outcome no longer counts. */
  readonly stops: readonly ActivityName[];
  /** The states entered by this transition, transient ones included, each with the counters at that moment. */
  readonly entered: readonly { readonly state: string; readonly context: LoopContext }[];
}

/** The snapshot of a state in which the machine waits for an event. */
export const resolveSnapshot = (place: Pick<LoopSnapshot, 'value' | 'context'>): LoopSnapshot =>
  getLoopMachine().resolveState(place);

/** XState's type of a machine's actions does not list `xstate.stopChild`. */
type Action = Pick<ExecutableActionsFrom<LoopMachine>, 'params' | 'info'> & { readonly type: string };

const decisionOf = ([snapshot, actions]: readonly [LoopSnapshot, readonly Action[]]): Decision => {
  const starts: ActivityName[] = [];
  const stops: ActivityName[] = [];
  const entered: { state: string; context: LoopContext }[] = [];
  for (const { type, params, info } of actions) {
    if (type === 'xstate.spawnChild') starts.push((params as { id: ActivityName }).id);
    // A state that was not reached by transitions has no actors to stop.
    if (type === 'xstate.stopChild' && params) stops.push((params as unknown as { id: ActivityName }).id);
    if (type === 'entered') entered.push({ ...(params as { state: string }), context: info.context as LoopContext });
  }
  return { snapshot, starts, stops, entered };
};

/** Events with equal keys have equal decisions. To write an event as JSON costs more than to find its decision. */
const keyOf = (event: LoopEvent): string =>
  'output' in event ? `${event.type} ${Object.values(event.output).join(' ')}` : event.type;

/**
 * Creates a decider with a cache. A decision depends only on the state, its counters and the event, so it is computed once: XState needs
 * some 45 us for a transition, and a step has seven.
 *
 * @param variant a variant of the loop to study. Default: the loop
 * @param limit number of cached decisions; the next one clears the cache. Default: 10,000
 */
export const createDecider = (variant?: LoopMachine, limit = 10_000) => {
  const machine = (): LoopMachine => variant ?? getLoopMachine();
  const beforeStart = {};
  /** The snapshot of each state, which all runs share, so that none of them writes its state as text to find a decision. */
  const snapshots = new Map<string, LoopSnapshot>();
  let decisions = new WeakMap<object, Map<string, Decision>>();
  let count = 0;
  const remember = (from: object, key: string, decision: Decision): Decision => {
    if (count >= limit) {
      snapshots.clear();
      decisions = new WeakMap();
      count = 0;
    }
    count += 1;
    const { value, context } = decision.snapshot;
    const snapshot = computed(snapshots, JSON.stringify([value, context]), () => decision.snapshot);
    const made = { ...decision, snapshot };
    computed(decisions, from, () => new Map()).set(key, made);
    return made;
  };
  const decideOnce = (from: object, key: string, decide: () => Decision): Decision =>
    decisions.get(from)?.get(key) ?? remember(from, key, decide());
  return {
    start: (input: LoopInput) =>
      decideOnce(beforeStart, JSON.stringify(input), () => decisionOf(initialTransition(machine(), input))),
    next: (snapshot: LoopSnapshot, event: LoopEvent) =>
      decideOnce(snapshot, keyOf(event), () =>
        // A final state stays final; the machine itself would still accept a CANCEL.
        snapshot.status === 'active' ? decisionOf(transition(machine(), snapshot, event)) : decisionOf([snapshot, []]),
      ),
  };
};
