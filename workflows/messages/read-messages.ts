import type { MastraDBMessage, MastraMessagePart } from '@mastra/core/agent/message-list';
import type {
  ProcessInputArgs,
  ProcessOutputStepArgs,
  ProcessOutputStreamArgs,
  ProcessToolResultArgs,
} from '@mastra/core/processors';

import { readFields } from '../../src/guard/read-fields.js';
import { type Leaf, leavesOf } from '../../src/guard/map-texts.js';
import { fieldsIn } from '../../src/phase/plain-data.js';

/** The texts of a message's text parts, in order; the legacy flat `content` if it has no text parts. */
export const textsOf = (message: MastraDBMessage): string[] => {
  const { parts, content } = message.content;
  const texts = (parts ?? []).flatMap((part) => (part.type === 'text' && typeof part.text === 'string' ? [part.text] : []));
  if (texts.length > 0) return texts;
  return typeof content === 'string' && content ? [content] : [];
};

/** The text of a message, its parts joined without a separator, as clients show them. */
export const textOf = (message: MastraDBMessage): string => textsOf(message).join('');

/**
 * Both readings of adjacent texts: as separate lines, and joined. A phrase that was split between two
 * parts or messages is whole in one of them.
 */
export const readingsOf = (texts: readonly string[]): string[] => [...new Set([texts.join('\n'), texts.join('')])];

/** Whether a message comes from outside: from the user, or as a signal with a user message or a notification. */
export const isUserSide = ({ role, content }: MastraDBMessage): boolean => {
  if (role === 'user') return true;
  if (role !== 'signal') return false;
  const signal = content.metadata?.['signal'];
  return typeof signal === 'object' && signal !== null && 'type' in signal && outside.has(signal.type);
};

const outside: ReadonlySet<unknown> = new Set(['user', 'user-message', 'notification']);

/**
 * The user's turns: adjacent messages of the user are one turn. Signals that carry a user
 * message or a notification count; other signals and system messages neither count nor separate turns.
 */
export const userTurns = (messages: readonly MastraDBMessage[]): MastraDBMessage[][] => {
  const turns: MastraDBMessage[][] = [];
  let open = false;
  for (const message of messages) {
    if (isUserSide(message)) {
      if (open) turns.at(-1)?.push(message);
      else turns.push([message]);
      open = true;
    } else if (message.role === 'assistant') open = false;
  }
  return turns;
};

/** The messages of the user's newest turn; empty if there is none. */
export const newestUserTurn = (messages: readonly MastraDBMessage[]): MastraDBMessage[] => userTurns(messages).at(-1) ?? [];

/** The answer of a step, without surrounding white space: its text, or that of the newest message of the response. */
export const answerOf = ({ text, messages }: Pick<ProcessOutputStepArgs, 'text' | 'messages'>): string =>
  (text ?? responseMessages(messages).slice(-1).map(textOf).join('')).trim();

/** The assistant's messages since the user's last turn: the answer of this run so far. */
export const responseMessages = (messages: readonly MastraDBMessage[]): MastraDBMessage[] => {
  const lastUser = messages.findLastIndex(isUserSide);
  return messages.slice(lastUser + 1).filter(({ role }) => role === 'assistant');
};

type FilePart = Extract<MastraMessagePart, { type: 'file' }>;

/** A file's fields, read by the table of fields like a stream's file: text files are decoded; for others the address is read. */
export const readPart = (part: FilePart, change: (text: string) => string): FilePart => {
  const { type, ...fields } = part;
  const changed = readFields(type, fields, { change });
  return changed === fields ? part : { ...part, ...changed };
};

/** The parts of a message, and its files in the older field, which the model gets if there is no file among the parts. */
export const allPartsOf = ({ content }: MastraDBMessage): MastraMessagePart[] => {
  const parts = content.parts ?? [];
  return parts.some(({ type }) => type === 'file')
    ? parts
    : [...(content.experimental_attachments ?? []).map(toFilePart), ...parts];
};

const toFilePart = ({ url, contentType = '', name }: Attachment): FilePart => ({
  type: 'file',
  data: url,
  mimeType: contentType,
  ...(name !== undefined && { filename: name }),
});

type Attachment = NonNullable<MastraDBMessage['content']['experimental_attachments']>[number];

/** The texts of a message's files: names, addresses, and content of text files. */
export const fileTextsOf = (message: MastraDBMessage): string[] => {
  const texts: string[] = [];
  for (const part of allPartsOf(message)) if (part.type === 'file') readPart(part, (text) => (texts.push(text), text));
  return texts;
};

type MessageList = NonNullable<ProcessOutputStreamArgs['messageList']>;

/** The input of a run: system messages, user messages and tool results, without the model's text. */
const inputTexts = (list: MessageList | undefined): string[] => {
  if (!list) return [];
  const system = list.getAllSystemMessages().flatMap(({ content }) => leavesOf(content));
  return [...system, ...list.get.all.db().flatMap(inputLeaves)].filter((text) => typeof text === 'string');
};

const inputLeaves = (message: MastraDBMessage): Leaf[] => (message.role === 'assistant' ? resultsIn(message) : textsOf(message));

/** The texts and numbers in the tool results of a message. */
export const resultsIn = ({ content }: MastraDBMessage): Leaf[] =>
  (content.parts ?? []).flatMap((part) => (part.type === 'tool-invocation' ? leavesOf(endsOf(part)) : []));

/**
 * Texts that a client sends as another's: the assistant's turns with their reasoning, files, calls and results, also in `context`, and
 * signals. And what memory recalls from other threads.
 */
export const madeUpTexts = ({ messageList }: Partial<Pick<ProcessInputArgs, 'messageList'>>): string[] => {
  if (!messageList) return [];
  const { all, input, remembered, response } = messageList.get;
  const sent = new Set(input.db().map(({ id }) => id));
  const own = new Set([...remembered.db(), ...response.db()].map(({ id }) => id));
  const others = recalledElsewhere(messageList)
    .flatMap(({ content }) => leavesOf(content))
    .map(String);
  const made = all.db().filter(({ role, id }) => role !== 'user' && (sent.has(id) || !own.has(id)));
  const texts = made.flatMap((message) => [
    ...textsOf(message),
    ...fileTextsOf(message),
    ...(message.content.parts ?? []).flatMap(writtenIn).map(String),
  ]);
  return [...texts, ...others];
};

/** The system messages of memory: its notes, and messages of the resource's other threads. */
export const recalledElsewhere = (list: MessageList | undefined) => list?.getSystemMessages('memory') ?? [];

const writtenIn = (part: MastraMessagePart): Leaf[] => {
  if (part.type === 'reasoning') return leavesOf([part.reasoning, ...part.details]);
  return part.type === 'tool-invocation' ? leavesOf([part.toolInvocation.args, ...endsOf(part)]) : [];
};

/** The end of a call: the result, an error, the reason why the tool did not run, and what the model reads in place of the result. */
export const endsOf = ({ toolInvocation, providerMetadata }: ToolPart) => {
  const { result, errorText, approval } = fieldsIn(toolInvocation); // by its state
  return [result, errorText, fieldsIn(approval)['reason'], fieldsIn(providerMetadata?.['mastra'])['modelOutput']] as const;
};

/** Computes a value from the input of a run, and again after new input. */
export const perConversation = <T>(compute: (texts: readonly string[]) => T): ((list: MessageList | undefined) => T) => {
  const known = new WeakMap<object, { readonly size: string; readonly value: T }>();
  return (list) => {
    if (!list) return compute([]);
    const size = sizeOf(list);
    const before = known.get(list);
    if (before?.size === size) return before.value;
    const value = compute(inputTexts(list));
    known.set(list, { size, value });
    return value;
  };
};

const sizeOf = (list: MessageList): string => {
  const messages = list.get.all.db();
  return `${messages.length} ${messages.at(-1)?.content.parts?.length ?? 0}`;
};

/** The arguments of the hook, whatever the guard's metadata. */
type ToolResultArgs = Omit<ProcessToolResultArgs, 'abort'>;

export type ToolPart = Extract<MastraMessagePart, { type: 'tool-invocation' }>;

/**
 * The current result: an earlier guard writes its edit into the message list, while `args.result` may still be the tool's
 * original.
 */
export const currentToolResult = (args: ToolResultArgs): unknown => {
  const invocation = partOf(args)?.toolInvocation;
  return invocation?.state === 'result' && 'result' in invocation ? invocation.result : args.result;
};

/**
 * Replaces the tool's result through the message list, where Mastra reads it back. False if the list has
 * no such call yet (a provider's own tool within one stream), so that the result cannot be replaced.
 */
export const replaceToolResult = (args: ToolResultArgs, result: unknown): boolean => {
  const invocation = {
    ...partOf(args)?.toolInvocation,
    state: 'result' as const,
    toolCallId: args.toolCallId,
    toolName: args.toolName,
    args: args.args,
    result,
  };
  return args.messageList.updateToolInvocation({ type: 'tool-invocation', toolInvocation: invocation });
};

const partOf = ({ messages, toolCallId }: ToolResultArgs): ToolPart | undefined => {
  for (const { role, content } of messages.toReversed()) {
    if (role !== 'assistant') continue;
    const part = (content.parts ?? []).findLast((each): each is ToolPart => isCall(each, toolCallId));
    if (part) return part;
  }
  return undefined;
};

const isCall = (part: MastraDBMessage['content']['parts'][number], toolCallId: string): boolean =>
  part.type === 'tool-invocation' && part.toolInvocation.toolCallId === toolCallId;
