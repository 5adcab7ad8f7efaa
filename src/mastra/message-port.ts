import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { MessageList } from '@mastra/core/agent/message-list';
import { klona } from 'klona/full';
import type { MessagePort, MessageScope, SystemMessage } from '../phase/host.js';

type ListState = ReturnType<MessageList['serialize']>;
type StoredMessage = ListState['messages'][number];

const read = (list: MessageList, scope: MessageScope): MastraDBMessage[] =>
  scope === 'all' ? list.get.all.db() : [...list.get.response.db()];

const isSystem = (message: MastraDBMessage): boolean => (message.role as string) === 'system';

const systemText = ({ content }: MastraDBMessage): string => {
  if (typeof content === 'string') return content; // plain system messages are allowed among the returned messages
  const parts = content.parts?.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? [];
  return parts.length > 0 ? parts.join('\n') : (content.content ?? '');
};

/**
 * A list's state with the messages of a scope made equal to `wanted`. Messages keep their ids, their sources and their
 * order as given; a new one gets the time of its neighbour, because the list sorts by time.
 */
const rewritten = (list: MessageList, wanted: readonly MastraDBMessage[], target: Target): ListState => {
  const state = list.serialize();
  const inScope = new Set(read(list, target.scope).map((message) => message.id));
  const byId = new Map(state.messages.map((message) => [message.id, message]));
  const kept: StoredMessage[] = wanted.map((message) => ({ ...byId.get(message.id), ...message, createdAt: '' }) as StoredMessage);
  const messages = target.scope === 'all' ? kept : [...state.messages.filter(({ id }) => !inScope.has(id)), ...kept];
  const added = wanted.filter(({ id }) => !byId.has(id)).map(({ id }) => id);
  return {
    ...state,
    messages: withTimes(messages, wanted, byId),
    ...(target.source === 'input'
      ? {
          newUserMessages: [...state.newUserMessages, ...added],
          newUserMessagesPersisted: [...state.newUserMessagesPersisted, ...added],
        }
      : {
          newResponseMessages: [...state.newResponseMessages, ...added],
          newResponseMessagesPersisted: [...state.newResponseMessagesPersisted, ...added],
        }),
  };
};

interface Target {
  scope: MessageScope;
  source: 'input' | 'response';
}

/** Times in ascending order: a message's own where it has one that fits between its neighbours. */
const withTimes = (
  messages: readonly StoredMessage[],
  wanted: readonly MastraDBMessage[],
  before: ReadonlyMap<string, StoredMessage>,
): StoredMessage[] => {
  const given = new Map(wanted.map((message) => [message.id, message.createdAt]));
  let latest = 0;
  const forward = messages.map((message) => {
    const own = before.get(message.id)?.createdAt;
    const time = own ? Date.parse(own) : undefined;
    if (time !== undefined && time >= latest) latest = time;
    return time === undefined ? undefined : Math.max(time, latest);
  });
  const next = (from: number): number | undefined => forward.slice(from).find((time) => time !== undefined);
  let last = 0;
  return messages.map((message, index) => {
    const own = forward[index] ?? Math.min(toTime(given.get(message.id)) ?? Infinity, next(index) ?? Infinity);
    last = Math.max(last, Number.isFinite(own) ? own : Math.max(last, Date.now()));
    return { ...message, createdAt: new Date(last).toISOString() };
  });
};

const toTime = (value: unknown): number | undefined => {
  const time = value === undefined ? NaN : new Date(value as string).getTime();
  return Number.isNaN(time) ? undefined : time;
};

/** Replaces a message's fields where it stands, so that everybody who holds it sees the change and its place is kept. */
const replaceInPlace = (current: MastraDBMessage, wanted: MastraDBMessage): void => {
  const { id, createdAt } = current;
  Object.assign(current, wanted, { id, createdAt });
};

const write: MessagePort['write'] = (list, messages, target) => {
  const wanted = messages.filter((message) => !isSystem(message));
  for (const message of messages.filter(isSystem)) list.addSystem(systemText(message));
  const current = read(list, target.scope);
  const sameOrder = current.length === wanted.length && current.every((message, index) => message.id === wanted[index]?.id);
  if (!sameOrder) return void list.deserialize(rewritten(list, wanted, target));
  current.forEach((message, index) => {
    const replacement = wanted[index] as MastraDBMessage;
    if (message !== replacement) replaceInPlace(message, replacement);
  });
};

const readSystem = (list: MessageList): SystemMessage[] => [...list.getSystemMessages()] as SystemMessage[];

const writeSystem = (list: MessageList, messages: readonly SystemMessage[]): void =>
  void list.replaceAllSystemMessages([...messages] as Parameters<MessageList['replaceAllSystemMessages']>[0]);

const create: MessagePort['create'] = (messages, systemMessages, source) => {
  const list = new MessageList();
  for (const message of messages) list.add(message, source === 'response' && message.role === 'assistant' ? 'response' : 'input', { merge: false });
  if (systemMessages.length > 0) writeSystem(list, systemMessages);
  return list;
};

const readToolResult: MessagePort['readToolResult'] = (list, toolCallId) => {
  for (const message of list.get.all.db().toReversed())
    for (const part of message.content.parts)
      if (part.type === 'tool-invocation' && part.toolInvocation.toolCallId === toolCallId && part.toolInvocation.state === 'result')
        return { found: true, result: part.toolInvocation.result };
  return { found: false };
};

/** Mastra's MessageList behind the port of the pure rooms. */
export const messagePort: MessagePort = {
  is: (value): value is MessageList => value instanceof MessageList,
  create,
  read,
  write,
  readSystem,
  writeSystem,
  fork: (list) => new MessageList().deserialize(klona(list.serialize())),
  checkpoint: (list) => {
    const saved = klona(list.serialize());
    return () => void list.deserialize(klona(saved));
  },
  snapshot: (list) => list.serialize(),
  restore: (list, snapshot) => void list.deserialize(snapshot as ListState),
  readToolResult,
};
