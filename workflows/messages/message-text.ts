import type { MastraDBMessage } from '@mastra/core/agent/message-list';

/** The texts of a message's text parts, in order; the legacy flat `content` where it has no text parts. */
export const textsOf = (message: MastraDBMessage): string[] => {
  const { parts, content } = message.content;
  const texts = (parts ?? []).flatMap((part) => (part.type === 'text' && typeof part.text === 'string' ? [part.text] : []));
  if (texts.length > 0) return texts;
  return typeof content === 'string' && content ? [content] : [];
};

/** The text of a message, its parts joined without anything between them, as a client shows them. */
export const textOf = (message: MastraDBMessage): string => textsOf(message).join('');

/**
 * Both ways to read texts that stand next to each other: as separate lines, and run together. A phrase that was cut over two
 * parts or messages is whole in one of them.
 */
export const readingsOf = (texts: readonly string[]): string[] => [...new Set([texts.join('\n'), texts.join('')])];

/** Whether words of a message come from outside: from the user, or as a signal of the user or a notification. */
export const isUserSide = ({ role, content }: MastraDBMessage): boolean => {
  if (role === 'user') return true;
  if (role !== 'signal') return false;
  const signal = content.metadata?.['signal'];
  return typeof signal === 'object' && signal !== null && 'type' in signal && outside.has(signal.type);
};

const outside: ReadonlySet<unknown> = new Set(['user', 'user-message', 'notification']);

/**
 * What the user said, turn by turn: messages of the user that stand next to each other are one turn. Signals that carry a user
 * message or a notification count; other signals and system messages neither count nor part two turns.
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

/** The messages of the user's newest turn; none where the user said nothing. */
export const newestUserTurn = (messages: readonly MastraDBMessage[]): MastraDBMessage[] => userTurns(messages).at(-1) ?? [];

/** The assistant's messages since the user last spoke: what this run has answered so far. */
export const responseMessages = (messages: readonly MastraDBMessage[]): MastraDBMessage[] => {
  const lastUser = messages.findLastIndex(isUserSide);
  return messages.slice(lastUser + 1).filter(({ role }) => role === 'assistant');
};
