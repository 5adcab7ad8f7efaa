import { createActor, type AnyActorScope, type SnapshotFrom } from 'xstate';
import { loopMachine, type LoopContext, type LoopEvent, type LoopLimits } from './machine.js';
import type { WorkName } from './work-names.js';

/** Where a run stands, as the machine keeps it. */
export type LoopSnapshot = SnapshotFrom<typeof loopMachine>;

/** Where the run stands, and which works must start and which are given up now. The same object for every run that comes here. */
export interface Decision {
  readonly snapshot: LoopSnapshot;
  readonly starts: readonly WorkName[];
  /** Works whose state was left: the one that has ended, and those beside it that nobody waits for any more. */
  readonly stops: readonly WorkName[];
  /** The states entered on the way here, transient ones included, each with the counters at that moment. */
  readonly entered: readonly { readonly state: string; readonly context: LoopContext }[];
}

/** The snapshot of a place where the machine rests. */
export const resting = (place: Pick<LoopSnapshot, 'value' | 'context'>): LoopSnapshot => loopMachine.resolveState(place);

/** The machine as two pure questions: where does a run begin, and what follows from an event. */
export interface Decider {
  begin(limits: LoopLimits): Decision;
  next(snapshot: LoopSnapshot, event: LoopEvent): Decision;
}

/**
 * Asks the machine without running any actor of its own. XState's `transition()` sets up a throw-away actor for every
 * question (about 90 us each here); this keeps one and asks through the actor-logic interface.
 *
 * @param machine the loop; another where a variant of it is studied
 */
export const createDecider = (machine = loopMachine): Decider => {
  let starts: WorkName[] = [];
  let stops: WorkName[] = [];
  let entered: { state: string; context: LoopContext }[] = [];
  const self = createActor(machine, { input: { maxSteps: 1, maxRetries: 0, maxRecoveries: 0, models: 1 } }); // never started
  const ignore = () => undefined;
  const scope: AnyActorScope = {
    self,
    id: self.id,
    sessionId: self.sessionId,
    system: self.system,
    logger: ignore,
    defer: ignore,
    emit: ignore,
    stopChild: ignore,
    actionExecutor: ({ type, params, info }) => {
      if (type === 'xstate.spawnChild') starts.push((params as { id: WorkName }).id);
      if (type === 'xstate.stopChild') stops.push((params as { id: WorkName }).id);
      if (type === 'entered') entered.push({ ...(params as { state: string }), context: info.context as LoopContext });
    },
  };
  const decide = (snapshot: LoopSnapshot): Decision => {
    const decision = { snapshot, starts, stops, entered };
    starts = [];
    stops = [];
    entered = [];
    return decision;
  };
  return {
    begin: (limits) => decide(machine.getInitialSnapshot(scope, limits)),
    // An end stays an end; the machine by itself would still hear a cancel.
    next: (snapshot, event) => decide(snapshot.status === 'active' ? machine.transition(snapshot, event, scope) : snapshot),
  };
};
