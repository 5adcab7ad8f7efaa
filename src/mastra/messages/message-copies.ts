import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { copyShared } from '../../phase/plain-data.js';

/** Copies of messages for one run, to detect changes. */
export interface MessageCopies {
  /** The copies of a list's messages. That of an unchanged message is the same object as before. */
  of(messages: readonly MastraDBMessage[]): readonly MastraDBMessage[];
  /** Registers the copy from which a message was created, which is reused while the two are equal. */
  record(message: MastraDBMessage, copy: MastraDBMessage): void;
}

/**
 * Keeps copies of messages. A message that has changed is copied again, except for its unchanged parts, so each message is
 * compared with its copy. While only the loop holds the conversation, settled messages without tool calls, which it does not
 * change, are their own copies.
 *
 * @param isHandedOut true if other code may have changed messages
 */
export const createMessageCopies = (isHandedOut: () => boolean): MessageCopies => {
  const known = new WeakMap<MastraDBMessage, MastraDBMessage>();
  const lastById = new Map<string, MastraDBMessage>(); // a list may replace the object of a message that has grown
  const copyOf = (message: MastraDBMessage): MastraDBMessage => {
    const last = known.get(message) ?? lastById.get(message.id);
    const copy = copyShared(last, message);
    known.set(message, copy);
    lastById.set(message.id, copy);
    return copy;
  };
  return {
    of: (messages) => {
      const length = isHandedOut() ? 0 : settledLength(messages);
      return messages.map((message, index) =>
        index >= length || known.has(message) || hasCall(message) ? copyOf(message) : message,
      );
    },
    record: (message, copy) => void known.set(message, copy),
  };
};

const hasCall = ({ content: { parts } }: MastraDBMessage): boolean => {
  for (const { type } of parts) if (type === 'tool-invocation') return true;
  return false;
};

/**
 * The number of messages before the last user message with text. The loop does not change them, because it answers after it.
 * Their conversion does not depend on later messages, because no later call has its result among them.
 */
export const settledLength = (messages: readonly MastraDBMessage[]): number => Math.max(0, messages.findLastIndex(isUserText));

/** Whether a message is a question: a user's, with text. */
export const isUserText = (message: MastraDBMessage | undefined): boolean =>
  message?.role === 'user' && message.content.parts.some((part) => part.type === 'text' && part.text.trim() !== '');
