import { InterlockError } from '../../errors.js';
import { clearFeedback, restart, showFeedback } from '../feedback.js';
import { snapshotConversation } from '../conversation-snapshot.js';
import { whenReady, type Awaitable } from '../../phase/awaitable.js';
import { judge } from '../judge.js';
import { markInputAccepted, persistAcceptedSteps } from '../persist-rejected-turn.js';
import type { Outcome } from '../outcome.js';
import { rotationOf } from '../rotate-message.js';
import { createAttempt, stepsForHooks, type Attempt, type Run } from '../run.js';
import type { PhaseData } from '../../phase/row.js';
import type { ResolvedModel } from '../../phase/host.js';

/** Before each attempt at a step: resets system messages; guards prepare the model's input. */
export const prepare = (run: Run): Awaitable<Outcome> => {
  const isFirst = run.position.attempt === 1;
  if (isFirst) startStep(run);
  else restart(run);
  return whenReady(isFirst ? persistAcceptedSteps(run) : undefined, () => prepareAttempt(run));
};

const prepareAttempt = (run: Run): Awaitable<Outcome> => {
  const { runId } = run.options;
  const { messages } = run.scope.host;
  markInputAccepted(run, false);
  const { list } = run;
  messages.writeSystem(list, run.baseSystem);
  showFeedback(run);
  run.feedback = undefined;
  const attempt = createAttempt(run);
  run.attempt = attempt;
  const { messageId } = run;
  const payload: PhaseData<'inputStep'> = {
    phase: 'inputStep',
    messages: messages.read(list, 'all'),
    messageList: list,
    systemMessages: messages.readSystem(list),
    stepNumber: run.position.stepNumber,
    steps: stepsForHooks(run),
    runId,
    messageId,
    rotateResponseMessageId: rotationOf(run),
    retryCount: run.retries,
    model: attempt.entry.model,
    ...attempt.settings,
  };
  return whenReady(judge(run, payload), ({ data, outcome }) => {
    if (outcome) return outcome;
    if (data.messageId !== messageId) takeMessageId(run, data);
    takeSettings(attempt, data);
    return { kind: 'done' };
  });
};

/** From here on the response is in a message with this id. */
const takeMessageId = (run: Run, { messageId }: PhaseData<'inputStep'>): void => {
  if (!rotationOf(run) || messageId === undefined)
    throw new InterlockError('agent/unsupported-option', { path: 'inputStep.messageId' });
  run.messageId = messageId;
};

const startStep = (run: Run): void => {
  clearFeedback(run);
  run.reusable = [];
  run.start = snapshotConversation(run);
  if (run.position.stepNumber === 0) run.firstStep = run.start;
};

const takeSettings = (attempt: Attempt, data: PhaseData<'inputStep'> & { workspace?: unknown }): void => {
  const { settings, entry } = attempt;
  const { tools, toolChoice, activeTools, providerOptions, modelSettings, structuredOutput, workspace } = data;
  Object.assign(settings, { tools, toolChoice, activeTools, providerOptions, modelSettings, structuredOutput });
  if (workspace !== undefined) Object.assign(settings, { workspace });
  // Headers belong to the model that they were configured with.
  if (data.model && data.model !== entry.model)
    attempt.entry = { ...entry, model: data.model as ResolvedModel, headers: undefined }; // the row resolved the hook's value
};
