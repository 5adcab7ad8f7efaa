import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { copyPlain, copyShared } from '../../phase/plain-data.js';

/** Messages as they were when they were last looked at, for one run. */
export interface MessageCopies {
  /**
   * A copy of each message as it is now; the same copy as long as the message has not changed.
   *
   * @param length how many of them are settled: the loop never changes them
   */
  of(messages: readonly MastraDBMessage[], length: number): MastraDBMessage[];
  /** The copies of those that are settled alone: the same array as long as none of them has changed. */
  settled(messages: readonly MastraDBMessage[], length: number): readonly MastraDBMessage[];
  /** Says what a message was made of, so that no other copy is made while the two are the same. */
  note(message: MastraDBMessage, copy: MastraDBMessage): void;
}

/** Messages that are not looked at again while they are the same ones. */
interface Settled {
  readonly messages: readonly MastraDBMessage[];
  readonly copies: readonly MastraDBMessage[];
}

/**
 * Keeps copies of messages. A message that has changed is copied again, except for its unchanged parts, so each message is
 * compared with its copy. When only the loop holds the conversation, settled messages are not compared.
 *
 * @param isHandedOut whether other code may have changed messages
 */
export const createMessageCopies = (isHandedOut: () => boolean): MessageCopies => {
  const known = new WeakMap<MastraDBMessage, MastraDBMessage>();
  const lastById = new Map<string, MastraDBMessage>(); // a list may put another object in the place of a message that has grown
  let settled: Settled = { messages: [], copies: [] };
  const copyOf = (message: MastraDBMessage): MastraDBMessage => {
    const last = known.get(message) ?? lastById.get(message.id);
    const copy = last ? copyShared(last, message) : copyPlain(message);
    known.set(message, copy);
    lastById.set(message.id, copy);
    return copy;
  };
  const settledOf = (messages: readonly MastraDBMessage[], length: number): readonly MastraDBMessage[] => {
    const areKnown = settled.messages.length === length && settled.messages.every((one, index) => one === messages[index]);
    if (areKnown && !isHandedOut()) return settled.copies;
    const now = messages.slice(0, length);
    const copies = now.map(copyOf);
    settled = { messages: now, copies: isOneByOne(settled.copies, copies) ? settled.copies : copies };
    return settled.copies;
  };
  return {
    of: (messages, length) => settledOf(messages, length).concat(messages.slice(length).map(copyOf)),
    settled: settledOf,
    note: (message, copy) => void known.set(message, copy),
  };
};

/** Whether two lists are of the same objects. */
const isOneByOne = (a: readonly object[], b: readonly object[]): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index]);
