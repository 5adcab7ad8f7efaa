import { clearFeedback, restart } from '../feedback.js';
import type { Outcome } from '../outcome.js';
import { createAttempt, judge, stepsForHooks, type Attempt, type Run } from '../run.js';
import type { PhaseData } from '../../phase/row.js';
import type { ResolvedModel } from '../../phase/host.js';

/** Before each attempt at a step: system messages are reset, guards set up what goes to the model. */
export const prepare = async (run: Run): Promise<Outcome> => {
  const { list, runId } = run.options;
  const { messages } = run.scope.host;
  if (run.position.attempt === 1) beginStep(run);
  else restart(run);
  messages.writeSystem(list, run.baseSystem);
  const attempt = createAttempt(run);
  run.attempt = attempt;
  const judged = await judge<'inputStep'>(run, {
    phase: 'inputStep',
    messages: messages.read(list, 'all'),
    messageList: list,
    systemMessages: messages.readSystem(list),
    stepNumber: run.position.stepNumber,
    steps: stepsForHooks(run),
    runId,
    messageId: run.messageId,
    retryCount: run.retries,
    model: attempt.entry.model,
    ...attempt.settings,
  });
  if (judged.outcome) return judged.outcome;
  takeSettings(attempt, judged.data);
  if (judged.data.model && judged.data.model !== attempt.entry.model)
    attempt.entry = { ...attempt.entry, model: judged.data.model as ResolvedModel, headers: undefined };
  return { kind: 'done' };
};

const beginStep = (run: Run): void => {
  clearFeedback(run);
  run.stop = undefined;
  run.backToStart = run.scope.host.messages.checkpoint(run.options.list);
  if (run.position.stepNumber === 0) run.backToFirstStep = run.backToStart;
};

const settingNames = ['tools', 'toolChoice', 'activeTools', 'providerOptions', 'modelSettings', 'structuredOutput'] as const;

const takeSettings = ({ settings }: Attempt, data: PhaseData<'inputStep'>): void => {
  for (const name of settingNames) Object.assign(settings, { [name]: data[name] });
};
