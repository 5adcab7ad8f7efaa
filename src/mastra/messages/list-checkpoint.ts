import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import type { LoopMessages, ConversationSnapshot } from '../../loop/ports.js';
import { copyPlain } from '../../phase/plain-data.js';
import { otherFields, emptyLike, fillList, insidesOf, isKnownInside, sourceNames, type ListState } from './list-insides.js';
import type { MessageCopies } from './message-copies.js';
import { settledLength } from './settled-length.js';

type ListFields = Omit<ListState, 'messages'>;

/** Creates checkpoints of lists for one run. Unchanged messages share their copies. */
export const createCheckpoints = (copies: MessageCopies): Pick<LoopMessages, 'checkpoint' | 'restore'> => ({
  checkpoint: (list): ConversationSnapshot => {
    const messages = list.get.all.db();
    const length = settledLength(messages);
    return { ...fieldsOf(list), messages: [...copies.settled(messages, length), ...messages.slice(length).map(copies.of)] };
  },
  restore: ({ messages, ...rest }, like) => {
    const fields = rest as unknown as ListFields; // created by `checkpoint`
    const list = fillList(emptyLike(like, fields), { ...copyPlain(fields), messages: messages.map(stored) });
    for (const [index, message] of list.get.all.db().entries()) copies.record(message, messages[index] ?? message);
    return list;
  },
});

/** State of a list outside its messages: the source of each message, and the system messages. */
const fieldsOf = (list: MessageList): ListFields => {
  if (!isKnownInside(list)) {
    const { messages: _messages, ...fields } = copyPlain(list.serialize());
    return fields;
  }
  const insides = insidesOf(list);
  const fields: Partial<Record<keyof ListFields, unknown>> = {};
  for (const name of sourceNames) fields[name] = idsIn(insides[name]);
  for (const name of otherFields) fields[name] = copyPlain(insides[name]);
  return fields as ListFields; // built field by field
};

/** Runs at each step of long conversations; a loop is several times as fast as `Array.from`. */
const idsIn = (messages: ReadonlySet<MastraDBMessage>): string[] => {
  const ids: string[] = [];
  for (const { id } of messages) ids.push(id);
  return ids;
};

/** A message in the form that lists store. The time may be invalid, because guards can write any value. */
const stored = ({ createdAt, ...message }: MastraDBMessage) => ({
  ...copyPlain(message),
  createdAt: (new Date(createdAt).toJSON() as string | null) ?? String(createdAt),
});
