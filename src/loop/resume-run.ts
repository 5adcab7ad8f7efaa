import { klona } from 'klona/full';
import type { CallResponse } from './call-response.js';
import { createRun } from './create-run.js';
import type { Run, RunOptions } from './run.js';
import { readState, writeState } from './state/run-state.js';
import { answerCall } from './step-calls.js';

/** The options of one run segment: from the start, or a call's response, to the end or the next suspension. */
export type RunSegment = Pick<RunOptions, 'mode' | 'streamBuffer' | 'abortSignal' | 'onEvent' | 'onStepFinish'>;

/** The response to a waiting call. */
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

/** Applies the response to a call of a suspended run, so that the run can continue. */
export const applyCallResponse = (run: Run, { toolCallId, answer: response }: Answered): void => {
  run.options.unfinishedTurn?.recordSaved(run.list);
  if (run.attempt) answerCall(run.attempt.stepCalls, toolCallId, response);
  run.recorder.record({ type: 'run-resume', toolCallId, answer: response.kind });
};
