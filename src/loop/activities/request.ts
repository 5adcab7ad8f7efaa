import { whenReady, type Awaitable } from '../../phase/awaitable.js';
import { copyPlain } from '../../phase/plain-data.js';
import { isGuarded, judge } from '../judge.js';
import { markInputAccepted } from '../persist-rejected-turn.js';
import type { Outcome } from '../outcome.js';
import type { Prompt } from '../ports.js';
import { currentAttempt, stepsForHooks, type Attempt, type Run } from '../run.js';

/** Converts the conversation to the model's prompt. Guards may rewrite it for this call, or respond from a cache. */
export const request = (run: Run): Awaitable<Outcome> => {
  const attempt = currentAttempt(run);
  const prompt = run.options.ports.messages.toPrompt(run.list, attempt.entry.model);
  return whenReady(prompt, (made) => judgePrompt(run, attempt, made));
};

const judgePrompt = (run: Run, attempt: Attempt, made: Prompt): Awaitable<Outcome> => {
  const { list } = run;
  const prompt = isGuarded(run, 'llmRequest') ? copyPlain(made) : made; // hooks change it for this call only
  const judged = judge<'llmRequest'>(run, {
    phase: 'llmRequest',
    prompt,
    model: attempt.entry.model,
    messageList: list,
    stepNumber: run.position.stepNumber,
    steps: stepsForHooks(run),
    retryCount: run.retries,
  });
  return whenReady(judged, ({ data, outcome }) => {
    if (outcome) return outcome;
    markInputAccepted(run, run.overlapGuards.length === 0);
    attempt.prompt = data.prompt;
    attempt.cached = data.response;
    return { kind: run.overlapGuards.length > 0 ? 'overlap' : 'done' };
  });
};
