import { copyPlain } from '../../phase/plain-data.js';
import { isGuarded, judge } from '../judge.js';
import { markInputAccepted } from '../persist-rejected-turn.js';
import type { Outcome } from '../outcome.js';
import { currentAttempt, stepsForHooks, type Run } from '../run.js';

/** Converts the conversation to the model's prompt. Guards may rewrite it for this call, or respond from a cache. */
export const request = async (run: Run): Promise<Outcome> => {
  const { list } = run;
  const attempt = currentAttempt(run);
  const made = await run.options.ports.messages.toPrompt(list, attempt.entry.model);
  const prompt = isGuarded(run, 'llmRequest') ? copyPlain(made) : made; // hooks change it for this call only
  const judged = await judge<'llmRequest'>(run, {
    phase: 'llmRequest',
    prompt,
    model: attempt.entry.model,
    messageList: list,
    stepNumber: run.position.stepNumber,
    steps: stepsForHooks(run),
    retryCount: run.retries,
  });
  if (judged.outcome) return judged.outcome;
  markInputAccepted(run, run.overlapGuards.length === 0);
  attempt.prompt = judged.data.prompt;
  attempt.cached = judged.data.response;
  return { kind: run.overlapGuards.length > 0 ? 'overlap' : 'done' };
};
