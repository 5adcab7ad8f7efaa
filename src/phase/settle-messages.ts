import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import { InterlockError } from '../errors.js';
import { pass, type Edit, type Pass } from '../verdict.js';
import type { Host, MessageScope, SystemMessage } from './host.js';

/** The part of a payload that hooks over messages read and change. */
export interface MessageCarrier {
  phase: string;
  messages?: MastraDBMessage[];
  messageList?: MessageList;
  systemMessages?: unknown[];
}

/** What a row says about the messages it carries. */
export interface MessageFacts {
  /** Which messages the hook sees. */
  readonly scope: MessageScope;
  /** The source that messages get which a hook adds. */
  readonly source: 'input' | 'response';
  /** Whether an empty array means that nothing changed, as the documents' examples intend, or that all messages go. */
  readonly emptyMeansUnchanged?: boolean;
}

export interface MessageSettling<Data extends MessageCarrier> {
  readonly data: Data;
  readonly processorId: string;
  readonly host: Host;
}

/** The list of a payload; every payload has one by the time its first hook runs. */
export const listOf = (data: MessageCarrier): MessageList => {
  if (data.messageList) return data.messageList;
  throw new InterlockError('phase/missing-messages', { path: `${data.phase}.messageList` });
};

/** The payload with a MessageList, made from its messages where it came without one (from a form, or as JSON). */
export const withMessageList = <Data extends MessageCarrier>(data: Data, host: Host, { source }: MessageFacts): Data => {
  if (data.messageList) return data;
  if (!data.messages) throw new InterlockError('phase/missing-messages', { path: `${data.phase}.messages` });
  const systemMessages = (data.systemMessages ?? []) as SystemMessage[];
  return { ...data, messageList: host.messages.create(data.messages, systemMessages, source) };
};

/** The message arguments of a hook, read afresh so that each hook sees what the one before it did. */
export const messageArgs = (data: MessageCarrier, host: Host, scope: MessageScope) => {
  const messageList = listOf(data);
  return {
    messages: host.messages.read(messageList, scope),
    messageList,
    systemMessages: host.messages.readSystem(messageList),
  };
};

/** The payload as the list has it now. */
export const refreshed = <Data extends MessageCarrier>(data: Data, host: Host, scope: MessageScope): Data => {
  const { messages, systemMessages } = messageArgs(data, host, scope);
  return { ...data, messages, systemMessages };
};

export const invalidResult = (data: MessageCarrier, processorId: string, detail: string): InterlockError =>
  new InterlockError('phase/invalid-result', { path: `${data.phase}/${processorId}`, detail });

export const assertOwnList = (returned: unknown, data: MessageCarrier, processorId: string): void => {
  if (returned !== data.messageList)
    throw new InterlockError('phase/foreign-message-list', { path: `${data.phase}/${processorId}` });
};

/** Applies `messages`, `messageList` and `systemMessages` as a hook returned them in an object. */
export const applyMessageFields = <Data extends MessageCarrier>(
  fields: { messages?: unknown; messageList?: unknown; systemMessages?: unknown },
  settling: MessageSettling<Data>,
  facts: MessageFacts,
): boolean => {
  const { data, processorId, host } = settling;
  const where = `${data.phase}/${processorId}`;
  if (fields.messages !== undefined && fields.messageList !== undefined)
    throw new InterlockError('phase/messages-and-message-list', { path: where });
  if (fields.messageList !== undefined) assertOwnList(fields.messageList, data, processorId);
  for (const name of ['messages', 'systemMessages'] as const)
    if (fields[name] !== undefined && !Array.isArray(fields[name]))
      throw invalidResult(data, processorId, `${name} is ${typeof fields[name]}, expected an array.`);
  const list = listOf(data);
  if (fields.systemMessages !== undefined) host.messages.writeSystem(list, fields.systemMessages as SystemMessage[]);
  if (fields.messages !== undefined) writeMessages(fields.messages as MastraDBMessage[], settling, facts);
  return fields.messages !== undefined || fields.messageList !== undefined || fields.systemMessages !== undefined;
};

const writeMessages = <Data extends MessageCarrier>(
  messages: MastraDBMessage[],
  { data, processorId, host }: MessageSettling<Data>,
  facts: MessageFacts,
): void => {
  const bad = messages.findIndex((message) => typeof message?.role !== 'string' || message.content === undefined);
  if (bad >= 0) throw invalidResult(data, processorId, `entry ${bad} of the returned messages is not a message.`);
  host.messages.write(listOf(data), messages, facts);
};

/**
 * Reads the answers that all hooks over messages share: nothing, the same list, an array of messages, or an object with
 * `messages` and `systemMessages`.
 */
export const settleMessages = <Data extends MessageCarrier>(
  returned: unknown,
  settling: MessageSettling<Data>,
  facts: MessageFacts,
): Pass | Edit<Data> => {
  const { data, processorId, host } = settling;
  if (returned === undefined || returned === null) return pass;
  if (host.messages.is(returned)) assertOwnList(returned, data, processorId);
  else if (Array.isArray(returned)) {
    if (returned.length === 0 && facts.emptyMeansUnchanged) return pass;
    if (sameEntries(returned, data, settling, facts)) return pass;
    writeMessages(returned as MastraDBMessage[], settling, facts);
  } else if (!isMessageFields(returned))
    throw invalidResult(data, processorId, `it returned ${describeValue(returned)}.`);
  else if (!applyMessageFields(returned, settling, facts)) return pass;
  return { kind: 'edit', data: refreshed(data, host, facts.scope) };
};

/** Whether an array is what the list holds already, entry by entry: a hook that returns what it was given changed nothing. */
const sameEntries = <Data extends MessageCarrier>(
  returned: readonly unknown[],
  data: Data,
  { host }: MessageSettling<Data>,
  { scope }: MessageFacts,
): boolean => {
  const current = host.messages.read(listOf(data), scope);
  return current.length === returned.length && current.every((message, index) => message === returned[index]);
};

const messageFieldNames = new Set(['messages', 'messageList', 'systemMessages']);

const isMessageFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.keys(value).every((key) => messageFieldNames.has(key));

export const describeValue = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return `${typeof value} ${String(value)}`.trim();
  return `an object with ${Object.keys(value).join(', ') || 'no fields'}`;
};
