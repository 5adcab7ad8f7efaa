import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';

/** A list as plain data. */
export type ListState = ReturnType<MessageList['serialize']>;

/** Where a list notes which message came from where, by the names that these have in its plain form too. */
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

/** What a list keeps to itself. */
interface ListInsides
  extends Record<SourceName, Set<MastraDBMessage>>, Pick<ListState, (typeof otherFields)[number]>, ListOptions {
  messages: MastraDBMessage[];
  stateManager: unknown;
  lastCreatedAt: number | undefined;
}

/** What an empty list is made with. */
type ListOptions = NonNullable<ConstructorParameters<typeof MessageList>[0]>;

/** The insides of a list, whose names are not part of Mastra's promise: ask {@link isKnownInside} first. */
export const insidesOf = (list: MessageList): ListInsides => list as unknown as ListInsides;

/** Whether a list keeps its messages where we know to find them. A later version of Mastra may keep them elsewhere. */
export const isKnownInside = (list: MessageList): boolean => {
  const insides: Partial<ListInsides> = insidesOf(list);
  return insides.messages === list.get.all.db() && sourceNames.every((name) => insides[name] instanceof Set);
};

/** An empty list of the same conversation that makes ids and prompts in the same way. */
export const emptyLike = (list: MessageList, { memoryInfo }: Pick<ListState, 'memoryInfo'>): MessageList => {
  // Should a later version keep what a list was made with elsewhere, the defaults hold.
  const { generateMessageId, filterIncompleteToolCalls, logger } = insidesOf(list);
  const { constructor: List } = list as { constructor: unknown } as { constructor: typeof MessageList }; // its own class
  return new List({ ...memoryInfo, generateMessageId, filterIncompleteToolCalls, logger });
};

/** Makes a list hold what its plain form says, in time proportional to its length; the list's own way compares each with all. */
export const fillList = (list: MessageList, state: ListState): MessageList => {
  if (!isKnownInside(list)) return list.deserialize(state);
  list.deserialize({ ...state, ...noSources });
  const insides = insidesOf(list);
  const known = new Map(insides.messages.toReversed().map((message) => [message.id, message])); // of two with one id, the first counts
  for (const name of sourceNames)
    for (const id of state[name]) {
      const message = known.get(id);
      if (message) insides[name].add(message);
    }
  return list;
};

const noSources = Object.fromEntries(sourceNames.map((name) => [name, []])) as unknown as Record<SourceName, []>; // by these names
