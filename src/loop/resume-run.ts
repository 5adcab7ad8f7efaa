import { klona } from 'klona/full';
import type { CallAnswer } from './call-answer.js';
import { createRun } from './create-run.js';
import type { Run, RunOptions } from './run.js';
import { readState, writeState } from './state/run-state.js';
import { answerCall } from './step-calls.js';

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
export const resumeRun = (rested: Run, sitting: Sitting, answered: Answered): Run => {
  const run = createRun({ ...rested.options, ...sitting });
  const state = readState(rested);
  writeState(run, { ...state, status: undefined, steps: klona(state.steps) });
  answer(run, answered);
  return run;
};

/** A call of a run that rests is answered; the run can go on. */
export const answer = (run: Run, { toolCallId, answer: given }: Answered): void => {
  run.options.whileWaiting?.noteKept(run.list);
  if (run.attempt) answerCall(run.attempt.stepCalls, toolCallId, given);
  run.recorder.record({ type: 'run-resume', toolCallId, answer: given.kind });
};
