import type { PhaseData } from '../../phase/row.js';
import { clearStepFeedback } from '../after-step.js';
import { emitEdits, type JudgedStep } from '../emit-edits.js';
import { clearFeedback } from '../feedback.js';
import { isGuarded, judge, judgeWith, type Judged } from '../judge.js';
import { snapshotParts, type PartSnapshot } from '../late-edits.js';
import type { Outcome } from '../outcome.js';
import type { Chunk } from '../ports.js';
import { acceptedSteps, currentAttempt, stepsForHooks, type AcceptedStep, type Run } from '../run.js';
import { followResponse, responseParts, type StepParts } from '../step-record.js';

/** The whole answer is judged once, when the loop is done. */
export const finish = async (run: Run): Promise<Outcome> => {
  clearFeedback(run);
  clearStepFeedback(run);
  const { settings } = currentAttempt(run);
  const objectPlan = settings.structuredOutput && run.options.objectPlan?.(settings);
  if (isGuarded(run, 'outputResult') || objectPlan) {
    const before = JSON.stringify(responseParts(run));
    const snapshots = snapshotParts(responseParts(run));
    let judged: Judged<'outputResult'> = await judge(run, resultPayload(run));
    if (judged.data && objectPlan) judged = await judgeWith(run, objectPlan, judged.data);
    if (judged.outcome) return judged.outcome;
    if (JSON.stringify(responseParts(run)) !== before) await emitResponse(run, followResponse(run), snapshots);
  }
  run.resultStands = true;
  return { kind: 'done' };
};

/** The stream says of each step what guards left of it. */
const emitResponse = async (run: Run, parts: readonly StepParts[], snapshots: readonly PartSnapshot[]): Promise<void> => {
  const { accepted } = run;
  const all = responseParts(run);
  const steps = accepted.map((step, index): JudgedStep => {
    const { own, from, isLast } = parts[index] as StepParts; // one for each
    const before = snapshots.slice(from, isLast ? undefined : from + step.partCount);
    const { place, spans, partIds } = step;
    const end = accepted[index + 1]?.place;
    return { place, before, own, all, end, spans: [...spans], partIds: new Set(partIds), rewrite: finishChunkOf(step) };
  });
  await emitEdits(run, steps);
  for (const [index, { spans, partIds }] of steps.entries())
    Object.assign(accepted[index] as AcceptedStep, { spans, partIds: [...partIds] });
};

/** The end of a step repeats its text and calls. */
const finishChunkOf = ({ record: { text, toolCalls } }: AcceptedStep): ((chunk: Chunk) => Chunk) => {
  let isDone = false;
  return (chunk) => {
    if (isDone || chunk.type !== 'step-finish') return chunk;
    isDone = true;
    const { output, ...payload } = chunk.payload as { output: object };
    return { ...chunk, payload: { ...payload, output: { ...output, text, toolCalls } } };
  };
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
