import { emitJudged } from './judge.js';
import type { Outcome } from './activity.js';
import { acceptedSteps, type Run } from './run.js';

/** Tag of the application's feedback about a step in the conversation. */
export const stepFeedbackTag = 'step-feedback';

/**
 * Calls the application's hook for an accepted step, which decides whether the run continues. Returns an outcome if a guard stops on its
 * chunks.
 */
export const afterStep = async (run: Run, shouldContinue: boolean): Promise<{ shouldContinue: boolean; outcome?: Outcome }> => {
  const { afterStep: callHook, messages } = run.options.ports;
  if (!callHook) return { shouldContinue };
  const ruling = await callHook({ list: run.state.list, steps: acceptedSteps(run), shouldContinue });
  let outcome: Outcome | undefined;
  for (const chunk of ruling.chunks ?? [])
    outcome ??= (await emitJudged(run, { ...chunk, runId: run.options.runId, from: 'AGENT' })).outcome;
  if (ruling.feedback !== undefined)
    messages.writeTagged(run.state.list, stepFeedbackTag, [{ role: 'system', content: ruling.feedback }]);
  return { shouldContinue: ruling.shouldContinue, ...(outcome && { outcome }) };
};

/** Removes the application's feedback to the model, which is not part of the result. */
export const clearStepFeedback = ({ options: { ports }, state: { list } }: Run): void =>
  ports.messages.writeTagged(list, stepFeedbackTag, []);
