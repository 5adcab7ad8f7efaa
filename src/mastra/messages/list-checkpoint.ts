import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import type { LoopMessages, Standing } from '../../loop/ports.js';
import { copyPlain, isSame } from '../../pipeline/plain-data.js';
import { besideNames, emptyLike, fillList, insidesOf, isKnownInside, sourceNames, type ListState } from './list-insides.js';

type Beside = Omit<ListState, 'messages'>;

/**
 * Remembers lists as they are, for one run. A message is copied when it is new or was changed since it was last looked at,
 * whoever changed it and however; the copies of all others are shared by the checkpoints.
 */
export const createCheckpoints = (): Pick<LoopMessages, 'checkpoint' | 'restore'> => {
  const copies = new WeakMap<MastraDBMessage, MastraDBMessage>();
  const copyOf = (message: MastraDBMessage): MastraDBMessage => {
    const known = copies.get(message);
    if (known && isSame(known, message)) return known;
    const copy = copyPlain(message);
    copies.set(message, copy);
    return copy;
  };
  return {
    checkpoint: (list): Standing => ({ ...besideMessages(list), messages: list.get.all.db().map(copyOf) }),
    restore: ({ messages, ...rest }, like) => {
      const beside = rest as unknown as Beside; // what `checkpoint` put there
      return fillList(emptyLike(like, beside), { ...copyPlain(beside), messages: messages.map(stored) });
    },
  };
};

/** What a list holds beside what its messages say: where each came from, and the system messages. */
const besideMessages = (list: MessageList): Beside => {
  if (!isKnownInside(list)) {
    const { messages: _messages, ...beside } = copyPlain(list.serialize());
    return beside;
  }
  const insides = insidesOf(list);
  return Object.fromEntries([
    ...sourceNames.map((name) => [name, Array.from(insides[name], ({ id }) => id)]),
    ...besideNames.map((name) => [name, copyPlain(insides[name])]),
  ]); // built field by field
};

/** As lists store it. A time may be anything by now: guards write to messages as they please. */
const stored = ({ createdAt, ...message }: MastraDBMessage) => ({
  ...copyPlain(message),
  createdAt: (new Date(createdAt).toJSON() as string | null) ?? String(createdAt),
});
