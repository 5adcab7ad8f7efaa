import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import { InterlockError } from '../errors.js';
import { pass, type Edit, type Pass } from '../verdict.js';
import type { Host, MessageScope, MessageSource, SystemMessage } from './host.js';
import { withFieldEdits } from './field-edits.js';
import { dropMissing, missingInMessages } from './missing-content.js';
import { isSame } from './plain-data.js';

/** The part of a payload that hooks over messages read and change. */
export interface MessageCarrier {
  phase: string;
  messages?: MastraDBMessage[];
  messageList?: MessageList;
  systemMessages?: SystemMessage[];
}

/** What a row says about the messages it carries. */
export interface MessageInfo {
  /** Which messages the hook sees. */
  readonly scope: MessageScope;
  /** The source that messages get which a hook adds. */
  readonly source: MessageSource;
  /** Whether an empty array means that nothing changed, as the documents' examples intend, or that all messages go. */
  readonly emptyMeansUnchanged?: boolean;
  /** Writes the remaining fields of the payload into the list, where the author's code returned a new payload. */
  adopt?(made: MessageCarrier, before: MessageCarrier, host: Host): void;
  /**
   * Writes the remaining fields of the payload into the list, where the host does so only after the guards; returns whether it
   * did.
   */
  complete?(list: MessageList, data: MessageCarrier, host: Host): boolean;
}

/** What is needed to read the answer of a hook over messages. */
interface SettleMessagesOptions<Data extends MessageCarrier> {
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
 * The payload with a MessageList, made from its messages where it came without one (from a form, or as JSON).
 * Raises `phase/missing-messages`.
 */
export const withMessageList = <Data extends MessageCarrier>(data: Data, host: Host, { source }: MessageInfo): Data => {
  if (data.messageList) return data;
  if (!data.messages) throw new InterlockError('phase/missing-messages', { path: `${data.phase}.messages` });
  return { ...data, messageList: host.messages.create(data.messages, data.systemMessages ?? [], source) };
};

/** The message arguments of a hook, read afresh so that each hook sees what the one before it did. */
export const messageArgs = (data: MessageCarrier, host: Host, { scope }: MessageInfo) => {
  const messageList = listOf(data);
  return {
    messages: host.messages.read(messageList, scope),
    messageList,
    systemMessages: host.messages.readSystem(messageList),
  };
};

/** The payload as its list has it now. */
export const refreshed = <Data extends MessageCarrier>(data: Data, host: Host, facts: MessageInfo): Data => {
  const { messages, systemMessages } = messageArgs(data, host, facts);
  return { ...data, messages, systemMessages };
};

/** The payload for code that reads it itself: what a guard before did to the list in place is in its messages. */
export const current = <Data extends MessageCarrier>(data: Data, host: Host, facts: MessageInfo | undefined): Data => {
  if (!facts || !data.messageList) return data;
  const fresh = refreshed(data, host, facts);
  const { messages = [], systemMessages = [] } = data;
  const isCurrent = isSameArray(fresh.messages ?? [], messages) && isSameArray(fresh.systemMessages ?? [], systemMessages);
  return isCurrent ? data : fresh;
};

/**
 * A payload as code of the author's hands it on: what it replaced of the list's own goes into the list, which alone counts.
 * Raises `phase/foreign-message-list`, `phase/messages-and-message-list`, `phase/invalid-result`.
 */
export const adopted = <Data extends MessageCarrier>(
  made: Data,
  settling: SettleMessagesOptions<Data>,
  facts: MessageInfo,
): Data => {
  const { data, host } = settling;
  facts.adopt?.(made, data, host);
  const replaced = (name: keyof MessageFields) => (made[name] === data[name] ? undefined : made[name]);
  const fields = {
    messages: replaced('messages'),
    messageList: replaced('messageList'),
    systemMessages: replaced('systemMessages'),
  };
  if (!Object.values(fields).some(isGiven)) return made;
  applyMessageFields(fields, settling, facts);
  return refreshed({ ...made, messageList: data.messageList }, host, facts);
};

/** The error for an answer that the phase cannot use; `detail` says what is wrong with it. */
export const invalidResult = (
  { phase }: { phase: string },
  processorId: string,
  { detail, cause }: { detail: string; cause?: unknown },
): InterlockError => new InterlockError('phase/invalid-result', { path: `${phase}/${processorId}`, detail, cause });

/** Raises `phase/invalid-result` where something that a hook left or returned lacks its content; `missing` is the way to it. */
export const refuseMissing = (missing: string | undefined, data: { phase: string }, processorId: string): void => {
  const detail = `${missing} has no content; take it out, or set its text to ''.`;
  if (missing) throw invalidResult(data, processorId, { detail });
};

/** Names the hook that left a message without content in the list. Raises `phase/invalid-result`. */
export const checkMessages = (
  { data, processorId, host }: SettleMessagesOptions<MessageCarrier>,
  { scope }: MessageInfo,
): void => {
  const { messageList } = data;
  if (!messageList) return;
  const messages = host.messages.read(messageList, scope);
  const missing =
    missingInMessages(messages, 'messages') ?? missingInMessages(host.messages.readSystem(messageList), 'systemMessages');
  if (missing) dropMissing(messages);
  refuseMissing(missing, data, processorId);
};

/** A value in a few words, for error messages. */
export const describeValue = (value: unknown): string => {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return `an object with ${Object.keys(value).join(', ') || 'no fields'}`;
  return typeof value === 'string' ? `the string "${value}"` : String(value);
};

/**
 * Reads the answers that all hooks over messages share: nothing, the same list, an array of messages, or an object with
 * `messages` or `messageList`, and `systemMessages`.
 *
 * Raises `phase/foreign-message-list`, `phase/messages-and-message-list`, `phase/invalid-result`.
 */
export const settleMessages = <Data extends MessageCarrier>(
  returned: unknown,
  settling: SettleMessagesOptions<Data>,
  facts: MessageInfo,
): Pass | Edit<Data> => {
  const { data, processorId, host } = settling;
  if (returned === undefined || returned === null) return pass;
  const fields = host.messages.is(returned)
    ? { messageList: returned }
    : Array.isArray(returned)
      ? { messages: returned }
      : returned;
  if (!isMessageFields(fields))
    throw invalidResult(data, processorId, {
      detail: `it returned ${describeValue(returned)}, expected messages or the messageList.`,
    });
  return applyMessageFields(fields, settling, facts) ? { kind: 'edit', data: refreshed(data, host, facts) } : pass;
};

/** What a hook may say about messages in an object. null counts as absent. */
interface MessageFields {
  messages?: unknown;
  messageList?: unknown;
  systemMessages?: unknown;
}

const fieldNames = new Set(['messages', 'messageList', 'systemMessages'] satisfies (keyof MessageFields)[] as string[]);

const isMessageFields = (value: unknown): value is MessageFields =>
  typeof value === 'object' && value !== null && Object.keys(value).every((key) => fieldNames.has(key));

/**
 * Applies `messages`, `messageList` and `systemMessages` to the payload's list; says whether anything changed. The list itself
 * counts as changed where it is given back: that is how a hook says that it changed it in place.
 */
export const applyMessageFields = <Data extends MessageCarrier>(
  { messages, messageList, systemMessages }: MessageFields,
  settling: SettleMessagesOptions<Data>,
  facts: MessageInfo,
): boolean => {
  const { data, processorId } = settling;
  const path = `${data.phase}/${processorId}`;
  if (isGiven(messages) && isGiven(messageList)) throw new InterlockError('phase/messages-and-message-list', { path });
  if (isGiven(messageList) && messageList !== data.messageList) throw new InterlockError('phase/foreign-message-list', { path });
  const isSystemWritten = isGiven(systemMessages) && writeSystem(systemMessages, settling);
  const isWritten = isGiven(messages) && writeMessages(messages, settling, facts);
  return isGiven(messageList) || isSystemWritten || isWritten;
};

/** Whether a field of an answer says something: null counts as absent. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

const writeSystem = <Data extends MessageCarrier>(
  given: unknown,
  { data, processorId, host }: SettleMessagesOptions<Data>,
): boolean => {
  if (!Array.isArray(given) || !given.every((entry) => (entry as { role?: unknown } | null)?.role === 'system'))
    throw invalidResult(data, processorId, { detail: 'systemMessages is not an array of system messages.' });
  refuseMissing(missingInMessages(given, 'systemMessages'), data, processorId);
  const list = listOf(data);
  if (isSame(given, host.messages.readSystem(list))) return false;
  host.messages.writeSystem(list, given as SystemMessage[]); // just checked
  return true;
};

const writeMessages = <Data extends MessageCarrier>(
  given: unknown,
  { data, processorId, host }: SettleMessagesOptions<Data>,
  facts: MessageInfo,
): boolean => {
  if (!Array.isArray(given)) throw invalidResult(data, processorId, { detail: 'messages is not an array.' });
  const bad = given.findIndex((entry) => isGiven(entry) && !looksLikeMessage(entry));
  if (bad >= 0)
    throw invalidResult(data, processorId, {
      detail: `entry ${bad} of the messages is ${describeValue(given[bad])}, not a message.`,
    });
  refuseMissing(missingInMessages(given, 'messages'), data, processorId);
  const list = listOf(data);
  if (given.length === 0 && facts.emptyMeansUnchanged) return false;
  const before = host.messages.read(list, facts.scope);
  if (isSame(given, before)) return false; // equal content is a pass, whatever objects hold it
  try {
    host.messages.write(list, withFieldEdits(given as MastraDBMessage[], before), facts); // what a message lacks, the port adds or refuses
  } catch (cause) {
    throw invalidResult(data, processorId, { detail: 'the messages could not be taken over.', cause });
  }
  return true;
};

/** A message in any form that the host reads: its own, or a plain one with a role and a text or parts. */
const looksLikeMessage = (entry: unknown): boolean => {
  if (typeof entry !== 'object' || entry === null) return false;
  const { role, content, parts } = entry as { role?: unknown; content?: unknown; parts?: unknown };
  return typeof role === 'string' && ('content' in entry || 'parts' in entry) && !isOther(content ?? parts);
};

/** Whether it is no content of any form; what is missing is named by itself. */
const isOther = (content: unknown): boolean => isGiven(content) && typeof content !== 'object' && typeof content !== 'string';

/** Whether two arrays hold the same objects. */
const isSameArray = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((entry, index) => entry === b[index]);
