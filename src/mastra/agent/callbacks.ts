import { unfinishedText } from '../../loop/persist-rejected-turn.js';
import type { StepRecord, Chunk } from '../../loop/ports.js';
import { acceptedSteps, isWithheld, type Run, type RunOptions } from '../../loop/run.js';
import type { CallCallbacks, CallOptions } from '../call-options.js';
import { objectOf } from '../messages/conversion.js';
import { errorOf, responseOf, wholeResultOf } from './result.js';
import { copyOfAnswer, stepResults, withViews } from './step-results.js';
import { safely } from '../../phase/awaitable.js';
import { drive } from '../../loop/drive.js';
import { finalizeRun } from '../../loop/finalize-run.js';
import type { SuspendedRuns } from './suspended-runs.js';
import { copyForReaders, fieldsIn, isObject, isRecord } from '../../phase/plain-data.js';

/** The callback that the loop calls after each step, with Mastra's arguments. */
export const stepCallback = ({ onStepFinish }: CallCallbacks): RunOptions['onStepFinish'] =>
  onStepFinish &&
  ((step, run) => {
    const { list } = run.state;
    const [view] = withViews([copyOfStep(step)], list.getPersisted.response.db());
    const response = responseOf(run, step, copyOfAnswer(list));
    return onStepFinish({ ...view, response, model: modelOf(step, run), runId: run.options.runId } as never); // a step is Mastra's
  });

/** Runs whose end was reported to their caller. */
const reported = new WeakSet<Run>();

/**
 * Reports the end of a run to its caller, once: `onError` after a failure, `onAbort` after a cancellation, else `onFinish`. A
 * suspended run has not ended.
 */
export const callEnded = async (run: Run, { onFinish, onError, onAbort }: CallCallbacks): Promise<void> => {
  if (run.state.status === 'suspended' || reported.has(run)) return;
  if (onFinish || onError || onAbort) reported.add(run);
  if (run.state.status === 'failed') return safely(onError, { error: errorOf(run) });
  if (run.state.status === 'canceled') {
    const steps = isWithheld(run) ? [] : acceptedSteps(run);
    return safely(onAbort, { steps: stepResults(run, steps), text: unfinishedText(run) });
  }
  return onFinish && safely(onFinish, finishedOf(run));
};

/** The argument of `onFinish`: the whole result, and the last step's tool calls by kind. */
const finishedOf = (run: Run) => {
  const { response, ...result } = wholeResultOf(run);
  const last = run.state.steps.findLast((step) => !step.tripwire);
  const [views] = last ? stepResults(run, [last]) : [];
  const { staticToolCalls = [], dynamicToolCalls = [], staticToolResults = [], dynamicToolResults = [] } = views ?? {};
  const dynamic = { staticToolCalls, dynamicToolCalls, staticToolResults, dynamicToolResults };
  return { ...result, ...dynamic, response, messages: response.messages, model: modelOf(last) };
};

/** The model that responded, or the requested model if the call failed. */
const modelOf = (step: StepRecord | undefined, run?: Run) => {
  const { modelId, modelProvider: provider, modelVersion: version } = fieldsIn(step?.response['modelMetadata']);
  if (modelId !== undefined) return { modelId, provider, version };
  const model = run?.state.attempt?.entry.model;
  return model && { modelId: model.modelId, provider: model.provider, version: model.specificationVersion };
};

/** A run that a caller follows, in whichever process it runs. */
export interface Followed {
  readonly run: Run;
  /** Settles when the run segment is over; never rejects. */
  readonly ended: Promise<void>;
}

/** A started run for its caller. */
export interface StartedRun {
  readonly run: Run;
  readonly options: CallOptions;
  /** Drives or follows the run until it ends or suspends, then runs the callbacks. Called once; never rejects. */
  readonly end: () => Promise<void>;
  /** Publishes the run's stream to the subscribers of its thread. Undefined without a thread. */
  readonly publish?: (stream: object, published: Published) => Promise<void>;
}

/** A run's chunks for the subscribers of its thread, and its end. */
export interface Published {
  readonly chunks: ReadableStream<Chunk>;
  readonly ended: Promise<void>;
}

/** @param ended drives or follows the run until it ends or suspends */
export const startedRun = (run: Run, options: CallOptions, ended: () => Promise<void>): StartedRun => ({
  run,
  options,
  end: async () => {
    await ended();
    await callEnded(run, options);
  },
});

/** Drives a run of this process until it ends or suspends. Never rejects; the stream closes even after an internal error. */
export const driveHere = async (run: Run, suspended?: SuspendedRuns): Promise<void> => {
  const ended = drive(run).catch(async (error: unknown) => {
    run.change({ error });
    await finalizeRun(run, 'failed').catch(() => run.options.streamBuffer.close());
  });
  suspended?.follow(run, ended);
  await ended;
  endRecording(run);
};

/** Ends the recording of a run, if it has one, with its result. */
export const endRecording = (run: Run): void => run.options.recording?.end(run, objectOf(run).object);

/** Whether the fields of a plain object, but for one, hold no objects. */
const isFlat = (value: unknown, but?: string): boolean => {
  if (!isRecord(value)) return false;
  for (const name in value) if (name !== but && isObject(value[name])) return false;
  return true;
};

/** A chunk as readers get it: a copy, which the run does not change later. The end of a step has the steps so far. */
export const copyForReader = (run: Run | undefined, chunk: Chunk): Chunk => {
  const { payload } = chunk;
  if (isFlat(payload) && isFlat(chunk, 'payload')) return { ...chunk, payload: { ...fieldsIn(payload) } }; // pieces of text: a quarter of the time
  const copy: Chunk = copyForReaders(chunk);
  return run && chunk.type === 'step-finish' ? { ...copy, payload: withSteps(run, copy.payload as StepFinish) } : copy;
};

interface StepFinish {
  /** The index of its step, and the number of steps so far. */
  readonly output: { readonly step?: number; readonly stepCount?: number };
}

/** Adds the first steps of the run, and the content of its own step, as they are now. A follower of a run gets its chunks with the steps. */
const withSteps = ({ state: { steps } }: Run, chunk: StepFinish): StepFinish => {
  const { output, ...payload } = chunk;
  const { step = -1, stepCount, ...own } = output;
  const copies = steps.slice(0, stepCount).map(copyOfStep);
  const current = copies[step];
  if (!current) return chunk;
  const { text, toolCalls } = current;
  return { ...payload, output: { text, toolCalls, ...own, steps: copies } as StepFinish['output'] };
};

/** The fields of a step that the run replaces when the step changes. */
const changing = ['content', 'toolCalls', 'toolResults', 'request', 'reason', 'tripwire'] as const;
const copies = new WeakMap<StepRecord, { readonly of: Partial<StepRecord>; readonly copy: StepRecord }>();

/** A copy of a step. While the step is unchanged, all readers share it. */
const copyOfStep = (step: StepRecord): StepRecord => {
  const known = copies.get(step);
  if (known && changing.every((name) => known.of[name] === step[name])) return known.copy;
  const copy = copyForReaders(step);
  copies.set(step, { of: { ...step }, copy });
  return copy;
};
