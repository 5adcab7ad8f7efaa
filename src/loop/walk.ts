import type { Decision, LoopSnapshot } from './decide.js';
import type { LoopEvent } from './machine.js';
import type { Outcome, OutcomeKind } from './outcome.js';
import { outcomesOf, type ActivityName } from './activity-names.js';

/** Where the machine is: two ways that lead to one place go on alike. */
export const stateKeyOf = ({ snapshot: { value, context } }: Decision): string => JSON.stringify([value, context]);

/** One way in which the activity under way may end. */
interface PossibleOutcome {
  readonly outcome: Outcome;
  readonly event: LoopEvent;
}

/** Every way in which an activity under way may end. */
export const outcomesAt = ({ snapshot }: Decision): PossibleOutcome[] =>
  activitiesUnderWay(snapshot).flatMap((activity) =>
    outcomesOf[activity].flatMap(outcomesLike).map((outcome) => ({ outcome, event: doneEvent(activity, outcome) })),
  );

/** The activities that the machine waits for, also those that started before it came where it is. */
export const activitiesUnderWay = ({ children }: LoopSnapshot): ActivityName[] => Object.keys(children) as ActivityName[]; // their ids are their names

const doneEvent = (activity: ActivityName, output: Outcome): LoopEvent => ({
  type: `xstate.done.actor.${activity}`,
  output,
  actorId: activity,
});

const outcomesLike = (kind: OutcomeKind): Outcome[] => {
  if (kind === 'reviewed') return [...[0, 1].map((toolCalls) => ({ kind, toolCalls })), { kind, toolCalls: 0, goesOn: true }];
  if (kind === 'executed') return [{ kind, stop: false }];
  return [{ kind }];
};
