import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import { copyPlain, isSame } from '../pipeline/plain-data.js';
import { besideNames, emptyLike, fillList, insidesOf, isKnownInside, sourceNames, type ListState } from './list-insides.js';

/** What a list holds, as it was at one time. */
type Checkpoint = (list: MessageList) => () => MessageList;

/**
 * Remembers lists as they are, for one run. A message is copied when it is new or was changed since it was last looked at,
 * whoever changed it and however; the copies of all others are shared by the checkpoints.
 */
export const createCheckpoints = (): Checkpoint => {
  const copies = new WeakMap<MastraDBMessage, MastraDBMessage>();
  const copyOf = (message: MastraDBMessage): MastraDBMessage => {
    const known = copies.get(message);
    if (known && isSame(known, message)) return known;
    const copy = copyPlain(message);
    copies.set(message, copy);
    return copy;
  };
  return (list) => {
    const messages = list.get.all.db().map(copyOf);
    const beside = besideMessages(list);
    return () => fillList(emptyLike(list, beside), { ...copyPlain(beside), messages: messages.map(stored) });
  };
};

/** What a list holds beside what its messages say: where each came from, and the system messages. */
const besideMessages = (list: MessageList): Omit<ListState, 'messages'> => {
  if (!isKnownInside(list)) return copyPlain(list.serialize());
  const insides = insidesOf(list);
  return Object.fromEntries([
    ...sourceNames.map((name) => [name, Array.from(insides[name], ({ id }) => id)]),
    ...besideNames.map((name) => [name, copyPlain(insides[name])]),
  ]) as Omit<ListState, 'messages'>; // built field by field
};

/** As lists store it. A time may be anything by now: guards write to messages as they please. */
const stored = ({ createdAt, ...message }: MastraDBMessage) => ({
  ...copyPlain(message),
  createdAt: (new Date(createdAt).toJSON() as string | null) ?? String(createdAt),
});
