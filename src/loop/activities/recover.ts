import { InterlockError, isInterlockError } from '../../errors.js';
import { createResponse } from '../response.js';
import { retract } from '../retract.js';
import { failWith, judge, keepRejectedWords } from '../judge.js';
import { judgedError } from '../judged-error.js';
import { messageOf } from '../message-of.js';
import type { Outcome } from '../outcome.js';
import { rotationOf } from '../rotate-message.js';
import { currentAttempt, stepsForHooks, type Attempt, type Run } from '../run.js';

/** The model call failed. Guards may repair the messages and request another call; otherwise the next model is called, or the run ends. */
export const recover = async (run: Run): Promise<Outcome> => {
  const { list } = run;
  const { ports, limits } = run.options;
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
    rotateResponseMessageId: rotationOf(run),
    retryCount: run.recoveries,
  });
  if (judged.outcome) return judged.outcome;
  const isFinal = run.options.mayTakeBack?.() === false;
  const again = judged.data.decision === 'retry' && run.recoveries < limits.maxRecoveries;
  const next = isFinal ? undefined : again ? attempt.entry : ports.models[run.modelIndex + 1];
  const shown = await judgedError(run, error);
  run.recorder.record({ type: 'model-error', message: messageOf(shown), recovered: next !== undefined });
  if (!next) return giveUp(run, shown);
  await reopen(run, attempt);
  attempt.entry = next;
  return { kind: again ? 'same-model' : 'next-model' };
};

/** Repeats the call; chunks that the failed one emitted are retracted. */
const reopen = async (run: Run, attempt: Attempt): Promise<void> => {
  await retract(run, { partIds: attempt.answer.partIds, place: attempt.place, scope: 'step' });
  run.error = undefined;
  keepRejectedWords(run);
  attempt.answer = createResponse();
  attempt.rawChunks = [];
  attempt.originalWords = [];
  attempt.heldResults = [];
  attempt.hasResponded = false;
  attempt.wasEdited = false;
  attempt.finish = undefined;
};

const giveUp = (run: Run, error: unknown): Outcome => {
  const path = currentAttempt(run).entry.model.modelId;
  const detail = messageOf(error);
  failWith(run, isInterlockError(error) ? error : new InterlockError('model/call-failed', { path, detail, cause: error }));
  return { kind: 'give-up' };
};
