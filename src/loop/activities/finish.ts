import { whenReady, type Awaitable } from '../../phase/awaitable.js';
import type { PhaseData } from '../../phase/row.js';
import type { Plan } from '../../pipeline/compile.js';
import { clearStepFeedback, clearFeedback, conversationFields, stepFields } from '../conversation.js';
import { followResponse, snapshotResponse } from '../follow-response.js';
import { isGuarded, judge, judgeWith, failWith, type Judged } from '../judge.js';
import { addWritten } from '../emit.js';
import { addPayloadTransforms } from '../persist-rejected-turn.js';
import type { Outcome } from '../activity.js';
import { acceptedSteps, currentAttempt, isOver, type Run } from '../run.js';
import { InterlockError, messageOf } from '../../errors.js';

/** Judges the whole response once, after the loop. */
export const finish = (run: Run): Awaitable<Outcome> => {
  clearFeedback(run);
  clearStepFeedback(run);
  const { settings } = currentAttempt(run);
  const objectPlan = settings.structuredOutput && run.options.objectPlan?.(settings);
  if (isGuarded(run, 'outputResult') || objectPlan) return judgeResult(run, objectPlan);
  return whenReady(addPayloadTransforms(run), () => accept(run));
};

const judgeResult = async (run: Run, objectPlan: Plan | undefined): Promise<Outcome> => {
  const snapshots = snapshotResponse(run);
  let judged: Judged<'outputResult'> = await judge(run, resultPayload(run));
  if (judged.data && objectPlan) judged = await judgeWith(run, objectPlan, judged.data);
  if (judged.outcome) return judged.outcome;
  await followResponse(run, snapshots);
  await addPayloadTransforms(run);
  return accept(run);
};

const accept = (run: Run): Outcome => {
  run.change({ isResultAccepted: true });
  return { kind: 'done' };
};

/** The payload of the result phase, also used to persist the result. */
export const resultPayload = (run: Run): PhaseData<'outputResult'> => {
  const steps = acceptedSteps(run);
  return {
    phase: 'outputResult',
    ...conversationFields(run, 'response'),
    result: {
      text: steps.map((step) => step.text).join(''),
      usage: { ...run.state.usage },
      finishReason: steps.at(-1)?.finishReason ?? 'unknown',
      steps: stepFields(run).steps,
    },
  };
};

/** Persists accepted responses only; a rejected response never reaches this activity. A failure to persist fails the run. */
export const persist = (run: Run): Awaitable<Outcome> => {
  const { memory } = run.options.lanes;
  addWritten(run, currentAttempt(run));
  return memory ? persistIn(memory, run) : { kind: 'done' };
};

const persistIn = async (memory: Plan, run: Run): Promise<Outcome> => {
  const { outcome } = await judgeWith<'outputResult'>(run, memory, resultPayload(run));
  const failed = outcome && failureOf(run, outcome);
  const error = failed && messageOf(run.state.error);
  if (!isOver(run)) run.recorder.record({ type: 'memory', given: 'answer', ...(error && { error }) });
  return failed ?? { kind: 'done' };
};

const failureOf = (run: Run, outcome: Outcome): Outcome => {
  const { stop } = run.state;
  if (outcome.kind === 'failed' || !stop || stop.kind === 'unavailable') return { kind: 'failed' };
  return failWith(
    run,
    new InterlockError('run/failed', { path: stop.path, detail: `memory rejected the answer: ${stop.reason}.` }),
  );
};
