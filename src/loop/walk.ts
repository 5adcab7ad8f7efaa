import type { Decision, LoopSnapshot } from './decide.js';
import type { LoopEvent } from './machine.js';
import type { Outcome, OutcomeKind } from './outcome.js';
import { outcomesOf, type WorkName } from './work-names.js';

/** Where the machine is: two ways that lead to one place go on alike. */
export const placeOf = ({ snapshot: { value, context } }: Decision): string => JSON.stringify([value, context]);

/** One way in which the work under way may end. */
export interface Ending {
  readonly outcome: Outcome;
  readonly event: LoopEvent;
}

/** Every way in which a work under way may end. */
export const endingsAt = ({ snapshot }: Decision): Ending[] =>
  worksUnderWay(snapshot).flatMap((work) =>
    outcomesOf[work].flatMap(outcomesLike).map((outcome) => ({ outcome, event: doneEvent(work, outcome) })),
  );

/** The works that the machine waits for, also those that started before it came where it is. */
export const worksUnderWay = ({ children }: LoopSnapshot): WorkName[] => Object.keys(children) as WorkName[]; // their ids are their names

const doneEvent = (work: WorkName, output: Outcome): LoopEvent => ({
  type: `xstate.done.actor.${work}`,
  output,
  actorId: work,
});

const outcomesLike = (kind: OutcomeKind): Outcome[] => {
  if (kind === 'reviewed') return [...[0, 1].map((toolCalls) => ({ kind, toolCalls })), { kind, toolCalls: 0, goesOn: true }];
  if (kind === 'executed') return [{ kind, stop: false }];
  return [{ kind }];
};
