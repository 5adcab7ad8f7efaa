import { emitJudged } from './judge.js';
import type { Outcome } from './outcome.js';
import { acceptedSteps, type Run } from './run.js';

/** Under which the conversation holds what the application said about a step. */
export const stepFeedbackTag = 'step-feedback';

/** Asks the application about a step that was accepted: whether the run goes on; an outcome where a guard stops on what it says. */
export const afterStep = async (run: Run, goesOn: boolean): Promise<{ goesOn: boolean; outcome?: Outcome }> => {
  const { afterStep: ask, messages } = run.options.ports;
  if (!ask) return { goesOn };
  const ruling = await ask({ list: run.list, steps: acceptedSteps(run), goesOn });
  let outcome: Outcome | undefined;
  for (const chunk of ruling.chunks ?? [])
    outcome ??= (await emitJudged(run, { ...chunk, runId: run.options.runId, from: 'AGENT' })).outcome;
  if (ruling.feedback !== undefined)
    messages.writeTagged(run.list, stepFeedbackTag, [{ role: 'system', content: ruling.feedback }]);
  return { goesOn: ruling.goesOn, ...(outcome && { outcome }) };
};

/** Feedback of the application to the model is not part of the result. */
export const clearStepFeedback = ({ options: { ports }, list }: Run): void =>
  ports.messages.writeTagged(list, stepFeedbackTag, []);
