import { InterlockError, isInterlockError } from '../../errors.js';
import { withoutQuotes } from '../../guard/unquoted.js';
import { textsIn } from '../../trace/texts-in.js';
import { createAnswer } from '../answer.js';
import { retract } from '../retract.js';
import { failWith, judge } from '../judge.js';
import { messageOf } from '../message-of.js';
import type { Outcome } from '../outcome.js';
import { currentAttempt, stepsForHooks, type Attempt, type Run } from '../run.js';

/** The model call failed: guards may mend the messages and ask for the call again; else the next model, else the end. */
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
    retryCount: run.recoveries,
  });
  if (judged.outcome) return judged.outcome;
  const isFinal = run.options.mayTakeBack?.() === false;
  const again = judged.data.decision === 'retry' && run.recoveries < limits.maxRecoveries;
  const next = isFinal ? undefined : again ? attempt.entry : ports.models[run.modelIndex + 1];
  run.recorder.record({ type: 'model-error', message: withoutPrompt(run, messageOf(error)), recovered: next !== undefined });
  if (!next) return giveUp(run, error);
  await reopen(run, attempt);
  attempt.entry = next;
  return { kind: again ? 'same-model' : 'next-model' };
};

/** The call is made again: what the failed one had let out is taken back. */
const reopen = async (run: Run, attempt: Attempt): Promise<void> => {
  await retract(run, { partIds: attempt.answer.partIds, place: attempt.place, scope: 'step' });
  run.error = undefined;
  attempt.answer = createAnswer();
  attempt.rawChunks = [];
  attempt.heldResults = [];
  attempt.hasSpoken = false;
  attempt.wasEdited = false;
  attempt.finish = undefined;
};

const giveUp = (run: Run, error: unknown): Outcome => {
  const path = currentAttempt(run).entry.model.modelId;
  const detail = withoutPrompt(run, messageOf(error));
  failWith(run, isInterlockError(error) ? error : new InterlockError('model/call-failed', { path, detail, cause: error }));
  return { kind: 'give-up' };
};

/** From how many characters in a row on a provider's message quotes the prompt. */
const promptChars = 12;
/** A word of the prompt that may be a value is cut out however short it is. */
const word = /[^\s"'`,;()[\]{}<>]+/g;
const isValue = (text: string): boolean => text.length > 3 && /[\d@]/.test(text);

/** What a provider says of a failure, without what it repeats of the prompt; the whole of it is the error's `cause`. */
const withoutPrompt = (run: Run, message: string): string => {
  const { messages } = run.scope.host;
  const said = textsIn([messages.read(run.list, 'all'), messages.readSystem(run.list)]).map(({ text }) => text);
  const content = said.join('\n');
  const words = new Set(content.match(word)?.filter(isValue));
  return withoutQuotes(message, { content, fromChars: promptChars }).replaceAll(word, (text) => (words.has(text) ? '…' : text));
};
