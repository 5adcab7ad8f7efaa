import {
  clearFeedback,
  conversationFields,
  markInputAccepted,
  showFeedback,
  snapshotConversation,
  rotationOf,
  stepFields,
  restoreConversation,
} from '../conversation.js';
import { whenReady, type Awaitable } from '../../phase/awaitable.js';
import { isGuarded, judge } from '../judge.js';
import type { Outcome } from '../activity.js';
import { changeAttempt, currentAttempt, type Run, type Attempt } from '../run.js';
import { createAttempt } from '../create-run.js';
import { InterlockError } from '../../errors.js';
import { followRemovals, snapshotResponse } from '../follow-response.js';
import { persistAcceptedSteps } from '../persist-rejected-turn.js';
import type { PhaseData } from '../../phase/row.js';
import type { ResolvedModel } from '../../phase/host.js';
import { copyPlain } from '../../phase/plain-data.js';
import type { Prompt } from '../ports.js';

/** Judges the user's input once, before the loop. */
export const input = (run: Run): Awaitable<Outcome> => {
  if (run.state.counters.attempt > 1) restart(run);
  else if (isGuarded(run, 'input')) run.change({ start: snapshotConversation(run) });
  showFeedback(run);
  return whenReady(judge<'input'>(run, { phase: 'input', ...conversationFields(run) }), ({ outcome }) => {
    if (outcome) return outcome;
    clearFeedback(run);
    run.change({ baseSystem: [...run.scope.host.messages.readSystem(run.state.list)] });
    return { kind: 'done' };
  });
};

/** Before each attempt at a step: resets system messages; guards prepare the model's input. */
export const prepare = (run: Run): Awaitable<Outcome> => {
  const isFirst = run.state.counters.attempt === 1;
  if (isFirst) startStep(run);
  else restart(run);
  return whenReady(isFirst ? persistAcceptedSteps(run) : undefined, () => prepareAttempt(run));
};

const prepareAttempt = (run: Run): Awaitable<Outcome> => {
  markInputAccepted(run, false);
  run.scope.host.messages.writeSystem(run.state.list, run.state.baseSystem);
  showFeedback(run);
  const attempt = createAttempt(run);
  run.change({ feedback: undefined, attempt });
  const { messageId } = run.state;
  const payload: PhaseData<'inputStep'> = {
    phase: 'inputStep',
    ...conversationFields(run),
    ...stepFields(run),
    runId: run.options.runId,
    messageId,
    rotateResponseMessageId: rotationOf(run),
    model: attempt.entry.model,
    ...attempt.settings,
  };
  const before = mayChangeSteps(run) ? snapshotResponse(run) : undefined;
  return whenReady(judge(run, payload), ({ data, outcome }) => {
    if (outcome) return outcome;
    if (before) followRemovals(run, before);
    if (data.messageId !== messageId) takeMessageId(run, data);
    takeSettings(run, attempt, data);
    return { kind: 'done' };
  });
};

/** Whether guards of this prompt see accepted steps that later guards may change. */
const mayChangeSteps = (run: Run): boolean =>
  run.state.accepted.length > 0 &&
  isGuarded(run, 'inputStep') &&
  (isGuarded(run, 'outputStep') || isGuarded(run, 'toolResult') || isGuarded(run, 'outputResult'));

/** From here on the response is in a message with this id. */
const takeMessageId = (run: Run, { messageId }: PhaseData<'inputStep'>): void => {
  if (!rotationOf(run) || messageId === undefined)
    throw new InterlockError('agent/unsupported-option', { path: 'inputStep.messageId' });
  run.change({ messageId });
};

const startStep = (run: Run): void => {
  clearFeedback(run);
  const start = snapshotConversation(run);
  const startCounts = run.state.accepted.map(({ partCount }) => partCount);
  run.change({ reusable: [], start, startCounts, ...(run.state.counters.stepNumber === 0 && { firstStep: start }) });
};

const takeSettings = (run: Run, attempt: Attempt, data: PhaseData<'inputStep'> & { workspace?: unknown }): void => {
  const { settings, entry } = attempt;
  const { tools, toolChoice, activeTools, providerOptions, modelSettings, structuredOutput, workspace } = data;
  Object.assign(settings, { tools, toolChoice, activeTools, providerOptions, modelSettings, structuredOutput });
  if (workspace !== undefined) Object.assign(settings, { workspace });
  // Headers belong to the model that they were configured with.
  if (data.model && data.model !== entry.model)
    changeAttempt(run, { entry: { ...entry, model: data.model as ResolvedModel, headers: undefined } }); // the row resolved the hook's value
};

/** Converts the conversation to the model's prompt. Guards may rewrite it for this call, or respond from a cache. */
export const request = (run: Run): Awaitable<Outcome> => {
  const { model } = currentAttempt(run).entry;
  return whenReady(run.options.ports.messages.toPrompt(run.state.list, model), (made) => judgePrompt(run, model, made));
};

const judgePrompt = (run: Run, model: ResolvedModel, made: Prompt): Awaitable<Outcome> => {
  const prompt = isGuarded(run, 'llmRequest') ? copyPlain(made) : made; // hooks change it for this call only
  const judged = judge<'llmRequest'>(run, {
    phase: 'llmRequest',
    prompt,
    model,
    messageList: run.state.list,
    ...stepFields(run),
    retryCount: run.state.counters.retries,
  });
  return whenReady(judged, ({ data, outcome }) => {
    if (outcome) return outcome;
    markInputAccepted(run, run.state.overlapGuards.length === 0);
    changeAttempt(run, { prompt: data.prompt, cached: data.response });
    return { kind: run.state.overlapGuards.length > 0 ? 'overlap' : 'done' };
  });
};

/** Restores the conversation to the start of the attempt, so that nothing of a rejected attempt remains; stores its feedback. */
const restart = (run: Run): void => {
  restoreConversation(run, run.state.start);
  const { stop, feedback } = run.state;
  run.change({ feedback: stop?.kind === 'retry' ? stop.reason : feedback, stop: undefined, error: undefined });
};
