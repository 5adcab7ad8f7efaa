import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { ProcessOutputStepArgs } from '@mastra/core/processors';

/** The texts of a message's text parts, in order; the legacy flat `content` if it has no text parts. */
export const textsOf = (message: MastraDBMessage): string[] => {
  const { parts, content } = message.content;
  const texts = (parts ?? []).flatMap((part) => (part.type === 'text' && typeof part.text === 'string' ? [part.text] : []));
  if (texts.length > 0) return texts;
  return typeof content === 'string' && content ? [content] : [];
};

/** The text of a message, its parts joined without a separator, as clients show them. */
export const textOf = (message: MastraDBMessage): string => textsOf(message).join('');

/**
 * Both readings of adjacent texts: as separate lines, and joined. A phrase that was split between two
 * parts or messages is whole in one of them.
 */
export const readingsOf = (texts: readonly string[]): string[] => [...new Set([texts.join('\n'), texts.join('')])];

/** Whether a message comes from outside: from the user, or as a signal with a user message or a notification. */
export const isUserSide = ({ role, content }: MastraDBMessage): boolean => {
  if (role === 'user') return true;
  if (role !== 'signal') return false;
  const signal = content.metadata?.['signal'];
  return typeof signal === 'object' && signal !== null && 'type' in signal && outside.has(signal.type);
};

const outside: ReadonlySet<unknown> = new Set(['user', 'user-message', 'notification']);

/**
 * The user's turns: adjacent messages of the user are one turn. Signals that carry a user
 * message or a notification count; other signals and system messages neither count nor separate turns.
 */
export const userTurns = (messages: readonly MastraDBMessage[]): MastraDBMessage[][] => {
  const turns: MastraDBMessage[][] = [];
  let open = false;
  for (const message of messages) {
    if (isUserSide(message)) {
      if (open) turns.at(-1)?.push(message);
      else turns.push([message]);
      open = true;
    } else if (message.role === 'assistant') open = false;
  }
  return turns;
};

/** The messages of the user's newest turn; empty if there is none. */
export const newestUserTurn = (messages: readonly MastraDBMessage[]): MastraDBMessage[] => userTurns(messages).at(-1) ?? [];

/** The answer of a step, without surrounding white space: its text, or that of the newest message of the response. */
export const answerOf = ({ text, messages }: Pick<ProcessOutputStepArgs, 'text' | 'messages'>): string =>
  (text ?? responseMessages(messages).slice(-1).map(textOf).join('')).trim();

/** The assistant's messages since the user's last turn: the answer of this run so far. */
export const responseMessages = (messages: readonly MastraDBMessage[]): MastraDBMessage[] => {
  const lastUser = messages.findLastIndex(isUserSide);
  return messages.slice(lastUser + 1).filter(({ role }) => role === 'assistant');
};
