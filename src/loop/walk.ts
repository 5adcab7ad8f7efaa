import type { Decision, LoopSnapshot } from './decide.js';
import type { LoopEvent } from './machine.js';
import type { Outcome, OutcomeKind } from './outcome.js';
import { outcomesOf, type ActivityName } from './activity-names.js';

/** A key of the machine's state: equal keys have equal continuations. */
export const stateKeyOf = ({ snapshot: { value, context } }: Decision): string => JSON.stringify([value, context]);

/** A possible outcome of the activity under way. */
interface PossibleOutcome {
  readonly outcome: Outcome;
  readonly event: LoopEvent;
}

/** All possible outcomes of the activities under way. */
export const outcomesAt = ({ snapshot }: Decision): PossibleOutcome[] =>
  activitiesUnderWay(snapshot).flatMap((activity) =>
    outcomesOf[activity].flatMap(outcomesLike).map((outcome) => ({ outcome, event: doneEvent(activity, outcome) })),
  );

/** The activities that the machine waits for, also those started in earlier states. */
export const activitiesUnderWay = ({ children }: LoopSnapshot): ActivityName[] => Object.keys(children) as ActivityName[]; // their ids are their names

const doneEvent = (activity: ActivityName, output: Outcome): LoopEvent => ({
  type: `xstate.done.actor.${activity}`,
  output,
  actorId: activity,
});

const outcomesLike = (kind: OutcomeKind): Outcome[] => {
  if (kind === 'reviewed')
    return [...[0, 1].map((toolCalls) => ({ kind, toolCalls })), { kind, toolCalls: 0, shouldContinue: true }];
  if (kind === 'executed') return [{ kind, stop: false }];
  return [{ kind }];
};
