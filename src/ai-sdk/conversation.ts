import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import { copyPlain, fieldsIn, isSame } from '../phase/plain-data.js';
import type { MessagePort, SystemMessage } from '../phase/host.js';
import type { RunScope } from '../phase/scope.js';
import { toStored, type StoredPart } from '../plain/stored-message.js';
import { patchMessages, haveSameContent, toModelMessages } from './message-parts.js';
import type { AnyMessage, SystemEntry } from './spec.js';

/** Messages of the AI SDK in the form for guards. Guards' changes of the list do not affect the original messages. */
export interface Conversation {
  readonly list: MessageList;
  /** The original messages in the list, by their ids. */
  readonly originals: ReadonlyMap<string, Original>;
  /** Whether guards changed anything. */
  isChanged(): boolean;
  isSystemChanged(): boolean;
  /** The current messages. Unchanged messages are the original objects. */
  read(): AnyMessage[];
  /** Which of them this run generated. */
  answers(): Answers;
  /** The current system messages. */
  readSystem(): readonly SystemEntry[];
  /** The replacements of each changed message, and of the first one if messages were added before it. */
  rewrites(): Map<string, readonly AnyMessage[]>;
}

/** A message as it was before the guards. */
interface Original {
  /** Whether this run generated it. */
  readonly isAnswer: boolean;
  readonly role: 'user' | 'assistant';
  readonly parts: readonly StoredPart[];
}

interface Group extends Original {
  readonly id: string;
  readonly messages: readonly AnyMessage[];
}

interface Opened {
  readonly port: MessagePort;
  readonly list: MessageList;
  readonly groups: readonly Group[];
  readonly originals: ReadonlyMap<string, Group>;
  readonly systems: readonly SystemEntry[];
}

/** For each assistant message, whether the run generated it. */
export type Answers = readonly boolean[];

/**
 * The run's own responses in the messages of a step. Messages of a user may stand between them and after them. Without `toPrepareStep`,
 * the responses are those after the last message of a user.
 */
export const answersIn = ({ answers }: { readonly answers?: Answers | undefined }, messages: readonly AnyMessage[]): Answers => {
  if (answers) return answers;
  const afterUser = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  return lastAnswers(messages, afterUser.filter(isOfAssistant).length);
};

/** The last messages of the assistant are the run's. */
export const lastAnswers = (messages: readonly AnyMessage[], count: number): Answers => {
  const all = messages.filter(isOfAssistant);
  return all.map((_, index) => index >= all.length - count);
};

/** The run's responses in messages that were made from others; a new message is one if it follows the last message of a user. */
export const answersAmong = (now: readonly AnyMessage[], before: readonly AnyMessage[], answers: Answers): Answers => {
  const known = before.filter(isOfAssistant).map((message, index) => ({ message, isAnswer: answers[index] === true }));
  const byPosition = answersIn({}, now);
  const fromEnd = now.filter(isOfAssistant).toReversed();
  const found = fromEnd.map((message, index) => {
    const at = known.findLastIndex((one) => isSame(one.message, message));
    return (at === -1 ? byPosition.at(-1 - index) : known.splice(at)[0]?.isAnswer) === true; // the order is kept
  });
  return found.toReversed();
};

export const isOfAssistant = ({ role }: { readonly role: string }): boolean => role === 'assistant';

/** Opens a conversation for guards; its system messages become those of the list. `answers`: which messages this run generated. */
export const openConversation = (
  { scope }: { readonly scope: RunScope },
  input: readonly AnyMessage[],
  answers: Answers = [],
): Conversation => {
  const port = scope.host.messages;
  const systems = input.filter(isSystem);
  const list = port.create([], [], 'input');
  const startedAt = Date.now();
  const groups = groupsOf(input, answers, startedAt);
  const idsOf = (isAnswer: boolean): string[] => groups.filter((group) => group.isAnswer === isAnswer).map(({ id }) => id);
  // All at once: a list compares each added message with all existing ones.
  port.restore(list, {
    ...fieldsIn(port.snapshot(list)),
    messages: groups.map(({ id, role, parts }, index) => ({
      id,
      role,
      createdAt: new Date(startedAt + index),
      content: { format: 2, parts: copyPlain(parts) }, // guards' changes in place stay in the list
    })),
    ...sourcesOf('newUserMessages', idsOf(false)),
    ...sourcesOf('newResponseMessages', idsOf(true)),
  });
  if (systems.length > 0) port.writeSystem(list, copyPlain(systems) as SystemMessage[]);
  return reader({ port, list, groups, originals: new Map(groups.map((group) => [group.id, group])), systems });
};

/** Mastra's lists also have the ids of messages that were saved; plain ones do not read these. */
const sourcesOf = (name: string, ids: readonly string[]) => ({ [name]: ids, [`${name}Persisted`]: ids });

const groupsOf = (input: readonly AnyMessage[], answers: Answers, startedAt: number): Group[] => {
  const all = grouped(input);
  const responses = all.filter(([first]) => first && isOfAssistant(first));
  const own = new Set(responses.filter((_, index) => answers.at(index - responses.length)));
  return all.map((messages, index): Group => {
    const parts = toStored(messages);
    for (const part of parts) Object.assign(part, { createdAt: startedAt }); // Mastra's type of some parts lacks it
    const role = messages[0]?.role === 'user' ? 'user' : 'assistant';
    return { id: `message-${index}`, isAnswer: own.has(messages), role, parts, messages };
  });
};

const isSystem = (message: AnyMessage): message is Extract<AnyMessage, { role: 'system' }> => message.role === 'system';

/** A user message forms its own group. An assistant message forms one with the results of its tools. System messages are left out. */
const grouped = (messages: readonly AnyMessage[]): AnyMessage[][] => {
  const groups: AnyMessage[][] = [];
  let last: AnyMessage[] | undefined;
  for (const message of messages) {
    if (isSystem(message)) continue;
    if (message.role === 'tool' && last && last[0]?.role !== 'user') last.push(message);
    else groups.push((last = [message]));
  }
  return groups;
};

const reader = (opened: Opened): Conversation => {
  const { port, list, groups, originals, systems } = opened;
  const readSystem = () => port.readSystem(list) as readonly SystemEntry[]; // hooks put entries with role and content there
  const isSystemChanged = () => !isSame([...readSystem()], [...systems]);
  return {
    list,
    originals,
    isSystemChanged,
    readSystem: () => (isSystemChanged() ? readSystem() : systems),
    isChanged: () => isSystemChanged() || !haveSameMessages(port.read(list, 'all'), groups),
    read: () => readGroups(opened).flatMap(({ messages }) => [...messages]),
    answers: () =>
      readGroups(opened).flatMap(({ group, messages }) => messages.filter(isOfAssistant).map(() => group?.isAnswer === true)),
    rewrites: () => rewritesOf(opened),
  };
};

const haveSameMessages = (now: readonly MastraDBMessage[], groups: readonly Group[]): boolean =>
  now.length === groups.length &&
  groups.every(({ id, parts }, index) => id === now[index]?.id && haveSameContent(parts, now[index].content.parts));

interface ReadGroup {
  /** The original group; undefined if a guard added it. */
  readonly group?: Group;
  readonly messages: readonly AnyMessage[];
}

const readGroups = ({ port, list, originals }: Opened): ReadGroup[] =>
  port.read(list, 'all').map((message): ReadGroup => {
    const group = originals.get(message.id);
    const { parts } = message.content;
    if (!group) return { messages: toModelMessages(message) };
    if (haveSameContent(group.parts, parts)) return { group, messages: group.messages };
    return { group, messages: patchMessages(group.messages, { before: group.parts, after: parts }) ?? toModelMessages(message) };
  });

/** Keys that identify groups of messages when they occur again: their content, and the number of equal groups before them. */
const keysOf = (groups: readonly (readonly AnyMessage[])[]): string[] => {
  const seen = new Map<string, number>();
  return groups.map((messages) => {
    const reply = JSON.stringify(messages);
    const count = seen.get(reply) ?? 0;
    seen.set(reply, count + 1);
    return `${count} ${reply}`;
  });
};

/** Messages that a guard added keep their position: after the message that preceded them, or first. */
const rewritesOf = (opened: Opened): Map<string, readonly AnyMessage[]> => {
  const { groups } = opened;
  const keys = keysOf(groups.map(({ messages }) => messages));
  const now: Map<Group | undefined, AnyMessage[]> = new Map([undefined, ...groups].map((group) => [group, []]));
  let last: Group | undefined;
  for (const { group, messages } of readGroups(opened)) {
    last = group ?? last;
    now.get(last)?.push(...messages);
  }
  const leading = now.get(undefined) ?? [];
  const changed = groups.flatMap((group, index): [string, readonly AnyMessage[]][] => {
    const own = [...(index === 0 ? leading : []), ...(now.get(group) ?? [])];
    return isSame(own, [...group.messages]) ? [] : [[keys[index] ?? '', own]];
  });
  return new Map(changed);
};

/** Replaces messages that occur again by their judged versions. */
export const rewritten = (
  messages: readonly AnyMessage[],
  rewrites: ReadonlyMap<string, readonly AnyMessage[]>,
): readonly AnyMessage[] => {
  if (rewrites.size === 0) return messages;
  const groups = grouped(messages);
  const keys = keysOf(groups);
  return [...messages.filter(isSystem), ...groups.flatMap((group, index) => [...(rewrites.get(keys[index] ?? '') ?? group)])];
};
