import { openConversation, rewritten } from './conversation.js';
import { followRetry } from './follow.js';
import { judge } from './judge.js';
import { toStored } from '../plain/to-stored.js';
import { isSame } from '../phase/plain-data.js';
import type { Adapter, JudgedInput, Run } from './run.js';
import type { AnyMessage } from './spec.js';

/**
 * The prompt to send: the caller's messages as their guards left them. The first adapter judges them once in a run, and again when the
 * user has sent another one; it reuses its results in every later step.
 */
export const judgedInput = async (run: Run, inputMessages: readonly AnyMessage[]): Promise<readonly AnyMessage[]> => {
  if (!run.input) return judgeInput(run, inputMessages, 'withGuards');
  const { by, rewrites, system, users } = run.input;
  if (by !== 'withGuards') return inputMessages;
  const isKnown = (one: unknown): boolean => users.some((known) => isSame(known, one));
  if (!usersIn(inputMessages).every(isKnown)) return judgeInput(run, inputMessages, by);
  const messages = rewritten(inputMessages, rewrites);
  return system ? [...system, ...messages.filter(({ role }) => role !== 'system')] : messages;
};

/** The content of each message of the user. */
const usersIn = (messages: readonly AnyMessage[]): JudgedInput['users'] =>
  messages.filter(({ role }) => role === 'user').map((message) => toStored([message]));

/** Judges the caller's messages. Returns their guarded version; the same array if nothing changed. */
export const judgeInput = async (run: Run, messages: readonly AnyMessage[], by: Adapter): Promise<readonly AnyMessage[]> => {
  const users = usersIn(messages);
  run.input = { by, rewrites: new Map(), system: undefined, users };
  if (!run.plan.has('input')) return messages;
  for (;;) {
    const conversation = openConversation(run, messages, { answers: run.answers });
    const { list } = conversation;
    const { messages: port } = run.scope.host;
    const judged = await judge<'input'>(run, {
      phase: 'input',
      messages: port.read(list, 'all'),
      messageList: list,
      systemMessages: port.readSystem(list),
      retryCount: run.retries,
    });
    if (judged.retry) {
      followRetry(run, judged.retry);
      continue;
    }
    if (!conversation.isChanged()) return messages;
    const system = conversation.readSystem() as readonly AnyMessage[]; // system messages are messages in both forms
    run.input = { by, rewrites: conversation.rewrites(), system: conversation.isSystemChanged() ? system : undefined, users };
    return [...system, ...conversation.read()];
  }
};
