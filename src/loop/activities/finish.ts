import { whenReady, type Awaitable } from '../../phase/awaitable.js';
import type { PhaseData } from '../../phase/row.js';
import type { Plan } from '../../pipeline/compile.js';
import { clearStepFeedback } from '../after-step.js';
import { clearFeedback } from '../feedback.js';
import { followResponse, snapshotResponse } from '../follow-response.js';
import { isGuarded, judge, judgeWith, type Judged } from '../judge.js';
import { addPayloadTransforms } from '../add-payload-transforms.js';
import type { Outcome } from '../outcome.js';
import { acceptedSteps, currentAttempt, stepsForHooks, type Run } from '../run.js';

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
  run.isResultAccepted = true;
  return { kind: 'done' };
};

/** The payload of the result phase, also used to persist the result. */
export const resultPayload = (run: Run): PhaseData<'outputResult'> => {
  const { list } = run;
  const { messages } = run.scope.host;
  const steps = acceptedSteps(run);
  return {
    phase: 'outputResult',
    messages: messages.read(list, 'response'),
    messageList: list,
    systemMessages: messages.readSystem(list),
    retryCount: run.retries,
    result: {
      text: steps.map((step) => step.text).join(''),
      usage: { ...run.usage },
      finishReason: steps.at(-1)?.finishReason ?? 'unknown',
      steps: stepsForHooks(run),
    },
  };
};
