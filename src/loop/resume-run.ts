import { klona } from 'klona/full';
import type { CallResponse } from './call-response.js';
import { createRun } from './create-run.js';
import type { Run, RunOptions } from './run.js';
import { readState, writeState } from './state/run-state.js';
import { answerCall } from './step-calls.js';

/** What belongs to one segment of a run: from its start, or from an answer, to its end or to where it is suspended. */
export type RunSegment = Pick<RunOptions, 'mode' | 'streamBuffer' | 'abortSignal' | 'onEvent' | 'onStepFinish'>;

/** What was said about a call that waited. */
export interface Answered {
  readonly toolCallId: string;
  readonly answer: Exclude<CallResponse, { kind: 'unasked' }>;
}

/**
 * The next segment of a suspended run. It keeps the guards, tools, model, limits and counters of the first segment. It is a
 * separate object: late changes by holders of the first segment have no effect, and this segment does not change what they hold.
 */
export const resumeRun = (suspended: Run, segment: RunSegment, answered: Answered): Run => {
  const run = createRun({ ...suspended.options, ...segment });
  const state = readState(suspended);
  writeState(run, { ...state, status: undefined, steps: klona(state.steps) });
  applyCallResponse(run, answered);
  return run;
};

/** A call of a suspended run is answered; the run can go on. */
export const applyCallResponse = (run: Run, { toolCallId, answer: given }: Answered): void => {
  run.options.unfinishedTurn?.noteKept(run.list);
  if (run.attempt) answerCall(run.attempt.stepCalls, toolCallId, given);
  run.recorder.record({ type: 'run-resume', toolCallId, answer: given.kind });
};
