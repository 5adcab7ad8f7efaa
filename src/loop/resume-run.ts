import { klona } from 'klona/full';
import type { CallAnswer } from './call-answer.js';
import { createRun } from './create-run.js';
import type { StepRecord } from './ports.js';
import type { Attempt, Run, RunOptions } from './run.js';
import { answerCall, copyStepCalls } from './step-calls.js';

/** What belongs to one sitting of a run: from its start, or from an answer, to its end or to where it rests. */
export type Sitting = Pick<RunOptions, 'mode' | 'outlet' | 'abortSignal' | 'onEvent' | 'onStepFinish'>;

/** What was said about a call that waited. */
export interface Answered {
  readonly toolCallId: string;
  readonly answer: Exclude<CallAnswer, { kind: 'unasked' }>;
}

/**
 * The next sitting of a run that rests. Guards, tools, model and limits are those that it began with, and all that has happened
 * counts. It is a run of its own to everybody who still holds the first: what they do late is not seen, and what happens now does
 * not change what they were given.
 */
export const resumeRun = (rested: Run, sitting: Sitting, { toolCallId, answer }: Answered): Run => {
  const run = createRun({ ...rested.options, ...sitting }, rested.recorder.events);
  const copies = new Map(rested.steps.map((step) => [step, klona(step)]));
  const copyOf = (step: StepRecord): StepRecord => copies.get(step) ?? step;
  const placeOf = heldAgain(run, rested);
  const attempt = rested.attempt && {
    ...rested.attempt,
    ...copiedAttempt(rested.attempt, copyOf),
    place: placeOf(rested.attempt.place),
  };
  for (const [id, slot] of rested.slots) run.slots.set(id, slot);
  for (const id of rested.usedPartIds) run.usedPartIds.add(id);
  run.steps.push(...rested.steps.map(copyOf));
  Object.assign(run.position, rested.position);
  Object.assign(run.usage, rested.usage);
  const { baseSystem, acceptedInput, retries, recoveries, modelIndex, messageId, restsAt } = rested;
  Object.assign(run, { baseSystem, acceptedInput, retries, recoveries, modelIndex, messageId, restsAt, attempt });
  run.reusable = [...rested.reusable];
  run.accepted = rested.accepted.map((step) => ({ ...step, record: copyOf(step.record), place: placeOf(step.place) }));
  run.list = rested.options.ports.messages.checkpoint(rested.list)();
  run.backToStart = goesBack(run, rested, rested.backToStart);
  run.backToFirstStep = goesBack(run, rested, rested.backToFirstStep);
  run.scope.retryCount = retries;
  if (attempt) answerCall(attempt.stepCalls, toolCallId, answer);
  run.recorder.record({ type: 'run-resume', toolCallId, answer: answer.kind });
  return run;
};

const copiedAttempt = ({ record, stepCalls }: Attempt, copyOf: (step: StepRecord) => StepRecord) => ({
  record: record && copyOf(record),
  stepCalls: copyStepCalls(stepCalls),
});

/** What the last sitting held back is held by this one, too; gives where the places of the last one are now. */
const heldAgain = (run: Run, { held }: Run): ((place: number) => number) => {
  const { hold, outlet } = run.options;
  if (hold) outlet.hold();
  for (const chunk of held.chunks) void outlet.write(chunk); // nobody waits for what is held
  return (place) => (place < held.from || !hold ? alreadyShown : place - held.from);
};

/** Before everything: what begins there was seen in an earlier sitting, and can only be withdrawn. */
const alreadyShown = -1;

/** Where the last sitting would have gone back to. */
const goesBack = (run: Run, rested: Run, back: () => void) => (): void => {
  const { list } = rested;
  back();
  run.list = rested.list;
  rested.list = list;
};
