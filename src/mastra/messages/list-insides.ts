import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';

/** A list as plain data. */
export type ListState = ReturnType<MessageList['serialize']>;

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

export type SourceName = (typeof sourceNames)[number];

/** The fields of a list other than its messages and their sources: a few small values. */
export const otherFields = ['systemMessages', 'taggedSystemMessages', 'memoryInfo', '_agentNetworkAppend'] as const;

/** Private fields of a list. */
interface ListInsides
  extends Record<SourceName, Set<MastraDBMessage>>, Pick<ListState, (typeof otherFields)[number]>, ListOptions {
  messages: MastraDBMessage[];
  stateManager: unknown;
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

/** Fills a list from its plain form in linear time; the list's own method takes quadratic time. */
export const fillList = (list: MessageList, state: ListState): MessageList => {
  if (!isKnownInside(list)) return list.deserialize(state);
  list.deserialize({ ...state, ...noSources });
  const insides = insidesOf(list);
  const known = new Map<string, MastraDBMessage>();
  for (const message of insides.messages) if (!known.has(message.id)) known.set(message.id, message); // the first of two with the same id counts
  for (const name of sourceNames) {
    const source = state[name].length > 0 ? insides[name] : undefined;
    for (const id of state[name]) {
      const message = known.get(id);
      if (message) source?.add(message);
    }
  }
  return list;
};

const noSources = Object.fromEntries(sourceNames.map((name) => [name, []])) as unknown as Record<SourceName, []>; // with these names
