import { InterlockError, isInterlockError } from '../../errors.js';
import type { Outcome } from '../outcome.js';
import { currentAttempt, judge, stepsForHooks, type Run } from '../run.js';
import { retract } from '../ending.js';
import { createAnswer } from '../answer.js';

/** The model call failed: guards may mend the messages and ask for the call again; else the next model, else the end. */
export const recover = async (run: Run): Promise<Outcome> => {
  const { list, ports } = run.options;
  const { messages } = run.scope.host;
  const attempt = currentAttempt(run);
  const { error } = run;
  const judged = await judge<'apiError'>(run, {
    phase: 'apiError',
    error,
    messages: messages.read(list, 'all'),
    messageList: list,
    systemMessages: messages.readSystem(list),
    stepNumber: run.position.stepNumber,
    steps: stepsForHooks(run),
    messageId: run.messageId,
    retryCount: run.recoveries,
  });
  if (judged.outcome) return judged.outcome;
  const again = judged.data.decision === 'retry' && run.recoveries < run.options.limits.maxRecoveries;
  const next = ports.models[run.modelIndex + 1];
  const recovered = again || next !== undefined;
  run.recorder.record({ type: 'model-error', message: messageOf(error), recovered });
  if (!recovered) return giveUp(run, error);
  await retract(run, attempt);
  attempt.answer = createAnswer();
  attempt.rawChunks = [];
  attempt.finish = undefined;
  if (!again && next) attempt.entry = next;
  run.error = undefined;
  return { kind: again ? 'same-model' : 'next-model' };
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const giveUp = (run: Run, error: unknown): Outcome => {
  run.error = isInterlockError(error)
    ? error
    : new InterlockError('model/call-failed', {
        path: currentAttempt(run).entry.model.modelId,
        detail: messageOf(error),
        cause: error,
      });
  return { kind: 'give-up' };
};
