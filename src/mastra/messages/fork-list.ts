import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import { copyPlain, isSame } from '../../phase/plain-data.js';
import { emptyLike, fillList, insidesOf, isKnownInside, otherFields, sourceNames } from './list-insides.js';

/** The original list of each fork. A fork that outlives it, such as that of a result, does not keep it in memory. */
const origins = new WeakMap<MessageList, WeakRef<MessageList>>();

/** A deep, independent copy of a list: ids, sources and system messages included. */
export const forkList = (list: MessageList): MessageList => {
  if (!isKnownInside(list)) {
    const state = copyPlain(list.serialize());
    return fillList(emptyLike(list, state), state);
  }
  const insides = insidesOf(list);
  const fork = emptyLike(list, insides);
  const own = insidesOf(fork);
  Object.assign(own, { lastCreatedAt: insides.lastCreatedAt });
  for (const name of otherFields) Object.assign(own, { [name]: copyPlain(insides[name]) });
  const copies = new Map<MastraDBMessage, MastraDBMessage>();
  for (const message of insides.messages) {
    const copy = copyPlain(message);
    copies.set(message, copy);
    own.messages.push(copy);
  }
  // Source sets also contain messages removed from the list; nothing edits those.
  for (const name of sourceNames) for (const message of insides[name]) own[name].add(copies.get(message) ?? message);
  origins.set(fork, new WeakRef(list));
  return fork;
};

/** True if a fork equals its list. False for lists that are no forks of the list, and for lists of an unknown version of Mastra. */
export const isUnchanged = (fork: MessageList, list: MessageList): boolean => {
  if (origins.get(fork)?.deref() !== list) return false;
  const [own, original] = [insidesOf(fork), insidesOf(list)];
  return (
    isSame(own.messages, original.messages) &&
    otherFields.every((name) => isSame(own[name], original[name])) &&
    sourceNames.every((name) => isSame(idsIn(own[name]), idsIn(original[name])))
  );
};

const idsIn = (messages: ReadonlySet<MastraDBMessage>): string[] => Array.from(messages, ({ id }) => id);
