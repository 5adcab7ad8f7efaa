import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import { copyPlain, isSame, copyShared } from '../../phase/plain-data.js';

/** A list as plain data. */
export type ListState = ReturnType<MessageList['serialize']>;

/** A list as data, with the times of its messages as texts or dates. */
interface ListData extends Omit<ListState, 'messages'> {
  readonly messages: readonly (MastraDBMessage | ListState['messages'][number])[];
}

/** The sets in which a list records the source of each message; its plain form has the same names. */
export const sourceNames = [
  'memoryMessages',
  'newUserMessages',
  'newResponseMessages',
  'userContextMessages',
  'memoryMessagesPersisted',
  'newUserMessagesPersisted',
  'newResponseMessagesPersisted',
  'userContextMessagesPersisted',
] as const satisfies readonly (keyof ListState)[];

type SourceName = (typeof sourceNames)[number];

/** The fields of a list other than its messages and their sources: a few small values. */
const otherFields = ['systemMessages', 'taggedSystemMessages', 'memoryInfo', '_agentNetworkAppend'] as const;

/** Private fields of a list. */
interface ListInsides
  extends Record<SourceName, Set<MastraDBMessage>>, Pick<ListState, (typeof otherFields)[number]>, ListOptions {
  messages: MastraDBMessage[];
  lastCreatedAt: number | undefined;
}

/** Constructor options of a list. */
type ListOptions = NonNullable<ConstructorParameters<typeof MessageList>[0]>;

/** The private fields of a list. Mastra does not guarantee their names: check {@link isKnownInside} first. */
export const insidesOf = (list: MessageList): ListInsides => list as unknown as ListInsides;

/** True if a list has the private fields that we expect. A later version of Mastra may have others. */
export const isKnownInside = (list: MessageList): boolean => {
  const insides: Partial<ListInsides> = insidesOf(list);
  return insides.messages === list.get.all.db() && sourceNames.every((name) => insides[name] instanceof Set);
};

/** An empty list of the same conversation, with the same options for ids and prompts. */
export const emptyLike = (list: MessageList, { memoryInfo }: Pick<ListState, 'memoryInfo'>): MessageList => {
  // If a later version stores these options elsewhere, the defaults apply.
  const { generateMessageId, filterIncompleteToolCalls, logger } = insidesOf(list);
  const { constructor: List } = list as { constructor: unknown } as { constructor: typeof MessageList }; // its own class
  return new List({ ...memoryInfo, generateMessageId, filterIncompleteToolCalls, logger });
};

/** The content of a list, shared with it; without the sources of messages removed from it, which it also forgets as plain data. */
export const dataOf = (list: MessageList): ListData => {
  if (!isKnownInside(list)) return list.serialize();
  const insides = insidesOf(list);
  const data: Partial<Record<keyof ListData, unknown>> = { messages: insides.messages };
  const present = new Set(insides.messages);
  for (const name of sourceNames) data[name] = idsIn(insides[name], present);
  for (const name of otherFields) data[name] = insides[name];
  return data as ListData; // built field by field
};

/** Runs at each step of long conversations; a loop is several times as fast as `Array.from`. */
const idsIn = (source: ReadonlySet<MastraDBMessage>, present: ReadonlySet<MastraDBMessage>): string[] => {
  const ids: string[] = [];
  for (const message of source) if (present.has(message)) ids.push(message.id);
  return ids;
};

/** Fills a list from its plain form in linear time; the list's own method takes quadratic time. */
export const fillList = (list: MessageList, data: ListData): MessageList => {
  const state = data as ListState; // the list reads both forms of a time
  if (!isKnownInside(list)) return list.deserialize(state);
  list.deserialize({ ...state, ...noSources });
  const insides = insidesOf(list);
  const known = new Map(insides.messages.toReversed().map((message) => [message.id, message])); // the first of two with the same id counts
  for (const name of sourceNames)
    for (const id of state[name]) {
      const message = known.get(id);
      if (message) insides[name].add(message);
    }
  return list;
};

const noSources = Object.fromEntries(sourceNames.map((name) => [name, []])) as unknown as Record<SourceName, []>; // with these names

/** The original list of each fork. A fork that outlives it, such as that of a result, does not keep it in memory. */
const origins = new WeakMap<MessageList, WeakRef<MessageList>>();

/** A deep, independent copy of a list: ids, sources and system messages included. `copyOf` copies its messages. */
export const forkList = (list: MessageList, copyOf: (message: MastraDBMessage) => MastraDBMessage = copyPlain): MessageList => {
  const fork = emptyLike(list, insidesOf(list));
  if (isKnownInside(list)) copyInsides(insidesOf(list), insidesOf(fork), copyOf);
  else fillList(fork, copyPlain(list.serialize()));
  origins.set(fork, new WeakRef(list));
  return fork;
};

/** Half the time of {@link fillList}: parallel guards fork the list at each step. */
const copyInsides = (from: ListInsides, to: ListInsides, copyOf: (message: MastraDBMessage) => MastraDBMessage): void => {
  const copies = new Map(from.messages.map((message) => [message, copyOf(message)]));
  to.messages = [...copies.values()];
  to.lastCreatedAt = from.lastCreatedAt;
  for (const name of otherFields) Object.assign(to, { [name]: copyPlain(from[name]) });
  for (const name of sourceNames)
    for (const message of from[name]) {
      const copy = copies.get(message);
      if (copy) to[name].add(copy);
    }
};

/** True if a fork equals its list. False for lists that are no forks of the list. */
export const isUnchanged = (fork: MessageList, list: MessageList): boolean =>
  origins.get(fork)?.deref() === list && isSame(dataOf(fork), dataOf(list));

/** Copies of messages for one run, to detect changes. */
export type MessageCopies = ReturnType<typeof createMessageCopies>;

/**
 * Keeps copies of messages. A message that has changed is copied again, except for its unchanged parts, so each message is
 * compared with its copy. While only the loop holds the conversation, settled messages without tool calls, which it does not
 * change, are their own copies.
 *
 * @param isHandedOut true if other code may have changed messages
 */
export const createMessageCopies = (isHandedOut: () => boolean) => {
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
    /** The copies of a list's messages. That of an unchanged message is the same object as before. */
    of: (messages: readonly MastraDBMessage[]): readonly MastraDBMessage[] => {
      const length = isHandedOut() ? 0 : settledLength(messages);
      return messages.map((message, index) =>
        index >= length || known.has(message) || hasCall(message) ? copyOf(message) : message,
      );
    },
    /** Registers the copy from which a message was created, which is reused while the two are equal. */
    record: (message: MastraDBMessage, copy: MastraDBMessage) => void known.set(message, copy),
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
