import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';

import { InterlockError } from '../errors.js';
import { type Edit, pass, type Pass } from '../verdict.js';
import type { Host, MessageScope, MessageSource, SystemMessage } from './host.js';
import { dropMissing, missingInMessages } from './missing-content.js';
import { fieldsIn, isSame } from './plain-data.js';

/** The part of a payload that hooks over messages read and change. */
export interface MessageCarrier {
  phase: string;
  messages?: MastraDBMessage[];
  messageList?: MessageList;
  systemMessages?: SystemMessage[];
  rotateResponseMessageId?: (() => string) | undefined;
}

/** The messages that a hook got, by its payload. */
const given = new WeakMap<MessageCarrier, readonly MastraDBMessage[]>();

/** A row's facts about its messages. */
export interface MessageInfo {
  /** The messages that the hook sees. */
  readonly scope: MessageScope;
  /** The source of messages that a hook adds. */
  readonly source: MessageSource;
  /** Whether an empty array means no change, as in the documents' examples, or removes all messages. */
  readonly emptyMeansUnchanged?: boolean;
  /** Writes the other fields of the payload into the list, if the author's code returned a new payload. */
  adopt?(made: MessageCarrier, before: MessageCarrier, host: Host): void;
}

/** The input for reading a hook's result. */
export interface SettleOptions<Data extends { readonly phase: string }> {
  readonly data: Data;
  readonly processorId: string;
  readonly host: Host;
}

/** The list of a payload; every payload has one by the time its first hook runs. Raises `phase/missing-messages`. */
export const listOf = (data: MessageCarrier): MessageList => {
  if (data.messageList) return data.messageList;
  throw new InterlockError('phase/missing-messages', { path: `${data.phase}.messageList` });
};

/**
 * The payload with a MessageList, created from its messages if it has none (from a form, or as JSON).
 * Raises `phase/missing-messages`.
 */
export const withMessageList = <Data extends MessageCarrier>(data: Data, host: Host, { source }: MessageInfo): Data => {
  if (data.messageList) return data;
  if (!data.messages) throw new InterlockError('phase/missing-messages', { path: `${data.phase}.messages` });
  return { ...data, messageList: host.messages.create(data.messages, data.systemMessages ?? [], source) };
};

/** The current message arguments of a hook, so that each hook sees the changes of the one before it. */
export const messageArgs = (data: MessageCarrier, host: Host, facts: MessageInfo) => {
  const args = messagesOf(data, host, facts);
  given.set(data, [...args.messages]); // the hook may change its own array
  return args;
};

const messagesOf = (data: MessageCarrier, host: Host, { scope }: MessageInfo) => {
  const messageList = listOf(data);
  return {
    messages: host.messages.read(messageList, scope),
    messageList,
    systemMessages: host.messages.readSystem(messageList),
  };
};

/** The payload with the current messages of its list. */
export const refreshed = <Data extends MessageCarrier>(data: Data, host: Host, facts: MessageInfo): Data => {
  const { messages, systemMessages } = messagesOf(data, host, facts);
  return { ...data, messages, systemMessages };
};

/** The payload for code that reads it directly: its messages include earlier guards' changes of the list. */
export const current = <Data extends MessageCarrier>(data: Data, host: Host, facts: MessageInfo | undefined): Data => {
  if (!facts || !data.messageList) return data;
  const fresh = refreshed(data, host, facts);
  const { messages = [], systemMessages = [] } = data;
  const isCurrent = isSameArray(fresh.messages ?? [], messages) && isSameArray(fresh.systemMessages ?? [], systemMessages);
  return isCurrent ? data : fresh;
};

/**
 * A payload returned by the author's code: its replaced messages are written into the list, which alone counts. Raises
 * `phase/foreign-message-list`, `phase/messages-and-message-list`, `phase/invalid-result`.
 */
export const adopted = <Data extends MessageCarrier>(made: Data, options: SettleOptions<Data>, facts: MessageInfo): Data => {
  const { data, host } = options;
  facts.adopt?.(made, data, host);
  const replaced = (name: keyof MessageFields) => (made[name] === data[name] ? undefined : made[name]);
  const fields = {
    messages: replaced('messages'),
    messageList: replaced('messageList'),
    systemMessages: replaced('systemMessages'),
  };
  if (!Object.values(fields).some(isPresent)) return made;
  applyMessageFields(fields, options, facts);
  return refreshed({ ...made, messageList: data.messageList }, host, facts);
};

/** The hook whose result is read. */
type ReadHook = Pick<SettleOptions<{ readonly phase: string }>, 'data' | 'processorId'>;

/** The error for an invalid result; `detail` describes the fault. */
export const invalidResult = ({ data, processorId }: ReadHook, detail: string, cause?: unknown): InterlockError =>
  new InterlockError('phase/invalid-result', { path: `${data.phase}/${processorId}`, detail, cause });

/** The error for a result of another form than the hook has. */
export const unexpectedResult = (hook: ReadHook, returned: unknown, expected: string): InterlockError =>
  invalidResult(hook, `it returned ${describeValue(returned)}, expected ${expected}.`);

/** The error for an entry without content that a hook left or returned; `missing` is the path to it. */
export const missingContent = (hook: ReadHook, missing: string): InterlockError =>
  invalidResult(hook, `${missing} has no content; take it out, or set its text to ''.`);

/** Raises `phase/invalid-result` with the hook's id if it left a message without content in the list. */
export const checkMessages = (options: SettleOptions<MessageCarrier>, { scope }: MessageInfo): void => {
  const { data, host } = options;
  const { messageList } = data;
  if (!messageList) return;
  const messages = host.messages.read(messageList, scope);
  const missing =
    missingInMessages(messages, 'messages') ?? missingInMessages(host.messages.readSystem(messageList), 'systemMessages');
  if (!missing) return;
  dropMissing(messages);
  throw missingContent(options, missing);
};

/** A value in a few words, for error messages. */
export const describeValue = (value: unknown): string => {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return `an object with ${Object.keys(value).join(', ') || 'no fields'}`;
  return typeof value === 'string' ? `the string "${value}"` : String(value);
};

/**
 * Reads the result of any hook over messages: undefined, the same list, an array of messages, or an object with `messages` or
 * `messageList`, and `systemMessages`.
 *
 * Raises `phase/foreign-message-list`, `phase/messages-and-message-list`, `phase/invalid-result`.
 */
export const settleMessages = <Data extends MessageCarrier>(
  returned: unknown,
  options: SettleOptions<Data>,
  facts: MessageInfo,
): Pass | Edit<Data> => {
  const { data, host } = options;
  if (returned === undefined || returned === null) return pass;
  const fields = host.messages.is(returned)
    ? { messageList: returned }
    : Array.isArray(returned)
      ? { messages: returned }
      : returned;
  if (!isMessageFields(fields)) throw unexpectedResult(options, returned, 'messages or the messageList');
  return applyMessageFields(fields, options, facts) ? { kind: 'edit', data: refreshed(data, host, facts) } : pass;
};

/** The message fields in a hook's result. null counts as absent. */
interface MessageFields {
  messages?: unknown;
  messageList?: unknown;
  systemMessages?: unknown;
}

const fieldNames = new Set<string>(['messages', 'messageList', 'systemMessages'] satisfies (keyof MessageFields)[]);

const isMessageFields = (value: unknown): value is MessageFields =>
  typeof value === 'object' && value !== null && Object.keys(value).every((key) => fieldNames.has(key));

/**
 * Applies `messages`, `messageList` and `systemMessages` to the payload's list; returns whether anything changed. A returned list itself
 * counts as changed: a hook returns it after a change in place.
 */
export const applyMessageFields = (
  { messages, messageList, systemMessages }: MessageFields,
  options: SettleOptions<MessageCarrier>,
  facts: MessageInfo,
): boolean => {
  const { data, processorId } = options;
  const path = `${data.phase}/${processorId}`;
  if (isPresent(messages) && isPresent(messageList)) throw new InterlockError('phase/messages-and-message-list', { path });
  if (isPresent(messageList) && messageList !== data.messageList)
    throw new InterlockError('phase/foreign-message-list', { path });
  const isSystemWritten = isPresent(systemMessages) && writeSystem(systemMessages, options);
  const isWritten = isPresent(messages) && writeMessages(messages, options, facts);
  return isPresent(messageList) || isSystemWritten || isWritten;
};

/** Whether a field of a result has a value: null counts as absent. */
export const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

const writeSystem = (returned: unknown, options: SettleOptions<MessageCarrier>): boolean => {
  const { data, host } = options;
  if (!Array.isArray(returned) || !returned.every((entry) => fieldsIn(entry)['role'] === 'system'))
    throw invalidResult(options, 'systemMessages is not an array of system messages.');
  const missing = missingInMessages(returned, 'systemMessages');
  if (missing) throw missingContent(options, missing);
  const list = listOf(data);
  if (isSame(returned, host.messages.readSystem(list))) return false;
  host.messages.writeSystem(list, returned as SystemMessage[]); // just checked
  return true;
};

const writeMessages = (returned: unknown, options: SettleOptions<MessageCarrier>, facts: MessageInfo): boolean => {
  const { data, host } = options;
  if (!Array.isArray(returned)) throw invalidResult(options, 'messages is not an array.');
  const bad = returned.findIndex((entry) => isPresent(entry) && !isMessageLike(entry));
  if (bad >= 0) throw invalidResult(options, `entry ${bad} of the messages is ${describeValue(returned[bad])}, not a message.`);
  const list = listOf(data);
  if (returned.length === 0 && facts.emptyMeansUnchanged) return false;
  const before = host.messages.read(list, facts.scope);
  const wanted = withSentSignals(returned as MastraDBMessage[], before, given.get(data));
  if (isSame(wanted, before)) return false; // equal content is a pass, even in other objects
  const missing = missingInMessages(returned, 'messages');
  if (missing) throw missingContent(options, missing);
  try {
    host.messages.write(list, withFieldEdits(wanted, before), facts); // the port adds missing fields or rejects
  } catch (cause) {
    throw invalidResult(options, 'the messages could not be taken over.', cause);
  }
  return true;
};

/** The returned messages, and the signals that the hook itself has sent: it got its array before. */
const withSentSignals = (
  returned: readonly MastraDBMessage[],
  now: readonly MastraDBMessage[],
  before: readonly MastraDBMessage[] | undefined,
): readonly MastraDBMessage[] => {
  const signals = before ? now.filter(({ role }) => role === 'signal') : [];
  if (signals.length === 0) return returned;
  const known = new Set([...(before ?? []), ...returned].map((message) => message?.id));
  return [...returned, ...signals.filter(({ id }) => !known.has(id))];
};

/** A message in any form that the host reads: its own, or a plain one with a role and a text or parts. */
const isMessageLike = (entry: unknown): boolean => {
  if (typeof entry !== 'object' || entry === null) return false;
  const { role, content, parts } = fieldsIn(entry);
  return typeof role === 'string' && ('content' in entry || 'parts' in entry) && !isOther(content ?? parts);
};

/** Whether content has an invalid type; missing content has its own error. */
const isOther = (content: unknown): boolean => isPresent(content) && typeof content !== 'object' && typeof content !== 'string';

/** Whether two arrays hold the same objects. */
const isSameArray = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((entry, index) => entry === b[index]);

type Part = MastraDBMessage['content']['parts'][number];
type TextPart = Extract<Part, { type: 'text' }>;

const isText = (part: Part): part is TextPart => part.type === 'text';

/**
 * The one text of a message that its field `content.content` repeats; undefined if the field differs, as it does after an edit of the
 * parts.
 */
const repeatedText = ({ content }: MastraDBMessage): TextPart | undefined => {
  const [text, ...others] = content.parts.filter(isText);
  return text && others.length === 0 && text.text === content.content ? text : undefined;
};

/** The same message; if a hook wrote a text into the field alone, a copy with that text in its part. */
const followed = (message: MastraDBMessage, before: MastraDBMessage | undefined): MastraDBMessage => {
  if (!before || message === before) return message;
  const { content: written, parts } = message.content ?? {};
  if (typeof written !== 'string' || written === before.content.content || !isSame(parts, before.content.parts)) return message;
  const text = repeatedText(before);
  if (!text) return message;
  const own = parts.map((part) => (isText(part) ? { ...part, text: written } : part));
  return { ...message, content: { ...message.content, parts: own } };
};

/**
 * The messages that a hook returned, with edits of `content.content` applied to the parts: Mastra's guide edits input that way, and the
 * model gets the parts. The field counts if it repeated the message's one text before the hook; after an edit of the parts it is out of
 * date.
 */
const withFieldEdits = (returned: readonly MastraDBMessage[], before: readonly MastraDBMessage[]): MastraDBMessage[] => {
  const known = new Map(before.map((message) => [message.id, message]));
  return returned.map((message) => (message ? followed(message, known.get(message.id)) : message));
};
