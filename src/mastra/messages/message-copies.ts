import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { copyPlain, copyShared } from '../../phase/plain-data.js';

/** Copies of messages for one run, to detect changes. */
export interface MessageCopies {
  /** A copy of a message: the same object until the message changes. */
  of(message: MastraDBMessage): MastraDBMessage;
  /**
   * The copies of settled messages: the same array until one of them changes. The loop changes only tool calls in them, so other messages
   * are not copied while only the loop holds the conversation.
   *
   * @param length their number, from the first on
   */
  settled(messages: readonly MastraDBMessage[], length: number): readonly MastraDBMessage[];
  /** Registers the copy from which a message was created, which is reused while the two are equal. */
  record(message: MastraDBMessage, copy: MastraDBMessage): void;
}

/** Settled messages, not compared again while the objects are identical. */
interface Settled {
  readonly messages: readonly MastraDBMessage[];
  readonly copies: readonly MastraDBMessage[];
}

/**
 * Keeps copies of messages. A message that has changed is copied again, except for its unchanged parts, so each message is
 * compared with its copy. While only the loop holds the conversation, settled messages are not compared.
 *
 * @param isHandedOut true if other code may have changed messages
 */
export const createMessageCopies = (isHandedOut: () => boolean): MessageCopies => {
  const known = new WeakMap<MastraDBMessage, MastraDBMessage>();
  const lastById = new Map<string, MastraDBMessage>(); // a list may replace the object of a message that has grown
  let settled: Settled = { messages: [], copies: [] };
  const copyOf = (message: MastraDBMessage): MastraDBMessage => {
    const last = known.get(message) ?? lastById.get(message.id);
    const copy = last ? copyShared(last, message) : copyPlain(message);
    known.set(message, copy);
    lastById.set(message.id, copy);
    return copy;
  };
  /** A settled message that no other code holds: a late result can still arrive for its tool call. */
  const unchanged = (message: MastraDBMessage): MastraDBMessage =>
    known.has(message) || hasCall(message) ? copyOf(message) : message;
  const settledOf = (messages: readonly MastraDBMessage[], length: number): readonly MastraDBMessage[] => {
    const areKnown = settled.messages.length === length && settled.messages.every((one, index) => one === messages[index]);
    if (areKnown && !isHandedOut()) return settled.copies;
    const now = messages.slice(0, length);
    const copies = now.map(isHandedOut() ? copyOf : unchanged);
    settled = { messages: now, copies: isOneByOne(settled.copies, copies) ? settled.copies : copies };
    return settled.copies;
  };
  return {
    of: copyOf,
    settled: settledOf,
    record: (message, copy) => void known.set(message, copy),
  };
};

const hasCall = ({ content: { parts } }: MastraDBMessage): boolean => {
  for (const { type } of parts) if (type === 'tool-invocation') return true;
  return false;
};

/** True if two lists contain identical objects. */
const isOneByOne = (a: readonly object[], b: readonly object[]): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index]);

/**
 * The number of messages before the last user message with text. The loop does not change them, because it answers after it.
 * Their conversion does not depend on later messages, because no later call has its result among them.
 */
export const settledLength = (messages: readonly MastraDBMessage[]): number => Math.max(0, messages.findLastIndex(isUserText));

export const isUserText = (message: MastraDBMessage | undefined): boolean =>
  message?.role === 'user' && message.content.parts.some((part) => part.type === 'text' && part.text.trim() !== '');
