import { textOf } from '../../loop/response.js';
import type { StepRecord } from '../../loop/ports.js';
import { acceptedSteps, isWithheld, type Run, type RunOptions } from '../../loop/run.js';
import type { CallCallbacks, CallOptions } from '../call-options.js';
import { errorOf, responseOf, stepResult, wholeResultOf } from './result.js';
import { safely } from '../safely.js';
import { drive } from '../../loop/drive.js';
import { finalizeRun } from '../../loop/finalize-run.js';
import { objectOf } from '../structured-output/structured-output.js';
import type { SuspendedRuns } from './suspended-runs.js';

/** The callbacks that the loop calls while it runs, with Mastra's arguments. */
export const runCallbacks = (
  { onStepFinish }: CallCallbacks,
  runOf: () => Run | undefined,
): Pick<RunOptions, 'onStepFinish'> => ({
  onStepFinish:
    onStepFinish &&
    ((step) => {
      const run = runOf();
      const response = run ? responseOf(run, step) : step.response;
      return onStepFinish({ ...stepResult(step), response, model: modelOf(step, run), runId: run?.options.runId } as never); // a step is Mastra's
    }),
});

/** Runs whose end was reported to their caller. */
const reported = new WeakSet<Run>();

/**
 * Reports the end of a run to its caller, once: `onError` after a failure, `onAbort` after a cancellation, else `onFinish`. A
 * suspended run has not ended.
 */
export const callEnded = async (run: Run, { onFinish, onError, onAbort }: CallCallbacks): Promise<void> => {
  if (run.status === 'suspended' || reported.has(run)) return;
  if (onFinish || onError || onAbort) reported.add(run);
  if (run.status === 'failed') return safely(onError, { error: errorOf(run) });
  if (run.status === 'canceled') {
    const steps = isWithheld(run) ? [] : acceptedSteps(run);
    return safely(onAbort, { steps: steps.map(stepResult), text: unfinishedText(run) });
  }
  return onFinish && safely(onFinish, finishedOf(run));
};

/** The argument of `onFinish`: the whole result, and the last step's tool calls by kind. */
const finishedOf = (run: Run) => {
  const { response, ...result } = wholeResultOf(run);
  const last = run.steps.findLast((step) => !step.tripwire);
  const views = last && stepResult(last);
  const { staticToolCalls = [], dynamicToolCalls = [], staticToolResults = [], dynamicToolResults = [] } = views ?? {};
  const dynamic = { staticToolCalls, dynamicToolCalls, staticToolResults, dynamicToolResults };
  return { ...result, ...dynamic, response, messages: response.messages, model: modelOf(last) };
};

/** Released text of the attempt that the caller canceled; its record has no text. */
const unfinishedText = ({ attempt, options: { hold } }: Run): string =>
  attempt?.record?.reason === 'error' && !hold ? textOf(attempt.answer.parts) : '';

interface ModelMetadata {
  modelId: string;
  modelProvider: string;
  modelVersion: string;
}

interface ModelOf {
  modelId: string;
  provider: string;
  version: string;
}

/** The model that responded, or the requested model if the call failed. */
const modelOf = (step: StepRecord | undefined, run?: Run): ModelOf | undefined => {
  const { modelMetadata } = (step?.response ?? {}) as { modelMetadata?: ModelMetadata };
  if (modelMetadata) {
    const { modelId, modelProvider, modelVersion } = modelMetadata;
    return { modelId, provider: modelProvider, version: modelVersion };
  }
  const model = run?.attempt?.entry.model;
  return model && { modelId: model.modelId, provider: model.provider, version: model.specificationVersion };
};

/** A call with its run. */
export interface StartedRun {
  readonly run: Run;
  /** Drives the run until it ends or suspends, then runs the callbacks. Called once; never rejects. */
  readonly end: () => Promise<void>;
  readonly callbacks: CallCallbacks & Pick<CallOptions, 'returnScorerData' | 'throwOnTripwire' | 'stopForReader'>;
  readonly transforms: CallOptions['experimentalTransform'];
  /** Publishes the run's stream to the subscribers of its thread. Undefined without a thread. */
  readonly publish?: (stream: object) => Promise<void>;
}

/** Listeners for the end of a run. */
interface EndListeners {
  readonly callbacks: CallCallbacks;
  readonly suspended: SuspendedRuns;
}

/** Drives a run until it ends or suspends, then runs its callbacks. Never rejects; the stream closes even after an internal error. */
export const runToEnd = async (run: Run, { callbacks, suspended }: EndListeners): Promise<void> => {
  const ended = driveSafely(run);
  suspended.follow(run, ended);
  await ended;
  run.options.recording?.end(run, objectOf(run).object);
  await callEnded(run, callbacks);
};

const driveSafely = async (run: Run): Promise<void> => {
  try {
    await drive(run);
  } catch (error) {
    run.error = error;
    await finalizeRun(run, 'failed').catch(() => run.options.streamBuffer.close());
  }
};
