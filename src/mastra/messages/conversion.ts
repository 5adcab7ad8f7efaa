import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import { isPlain } from '../../phase/plain-data.js';
import { emptyLike, insidesOf, isKnownInside } from './list-insides.js';
import { type MessageCopies, isUserText, settledLength } from './message-copies.js';

/** A message for models or tools. */
interface Converted {
  readonly role: string;
  readonly content: string | readonly object[];
}

/** A conversion of a list for a model or a tool. */
interface ConversionWay<Message extends Converted> {
  /** The messages of a list to convert. */
  messagesOf(list: MessageList): readonly MastraDBMessage[];
  /** Mastra's own conversion of them. */
  convert(list: MessageList): Promise<Message[]> | Message[];
}

/** The settled messages of a conversation and their conversion, which is made again if their changes cannot all be noticed. */
interface CachedMessages<Message> {
  readonly copies: readonly MastraDBMessage[];
  readonly isFinal: boolean;
  readonly made: readonly Message[];
}

/** The parts of the answer so far and their conversion. */
interface CachedAnswer<Message> {
  readonly parts: readonly Part[];
  readonly made: readonly Message[];
}

type Part = MastraDBMessage['content']['parts'][number];

/** The number of messages from which caching pays: splitting a list costs about as much as converting this many. */
const minCached = 20;

/**
 * Converts a growing list repeatedly. Messages before the last user message, and earlier steps of the answer to it, are converted once,
 * and again only after a change; the rest is converted each time. A cached conversion returns the same objects.
 */
export const createConversion = <Message extends Converted>(
  way: ConversionWay<Message>,
  copies: MessageCopies,
): ((list: MessageList) => Promise<Message[]>) => {
  let settled: CachedMessages<Message> = { copies: [], made: [], isFinal: true };
  let answered: CachedAnswer<Message> = { parts: [], made: [] };
  const madeBefore = async (list: MessageList, messages: readonly MastraDBMessage[]): Promise<readonly Message[]> => {
    const now = copies.settled(messages, messages.length);
    if (settled.copies !== now || !settled.isFinal)
      settled = { copies: now, made: await convertSettled(way, list, messages), isFinal: isPlain(now) };
    return settled.made;
  };
  return async (list) => {
    if (!isKnownInside(list)) return way.convert(list);
    const messages = way.messagesOf(list);
    const length = settledLength(messages);
    const from = length < minCached ? 0 : length;
    const before = from === 0 ? [] : await madeBefore(list, messages.slice(0, from));
    const answer = messages.length === length + 2 && isUserText(messages[length]) ? messages.at(-1) : undefined;
    const parts = answer && isSplittable(answer) ? copies.of(answer).content.parts : [];
    if (!beginsWith(parts, answered.parts)) answered = { parts: [], made: [] };
    const rest = messages.slice(from);
    if (answer && answered.parts.length > 0) rest.splice(-1, 1, withoutFirst(answer, answered.parts.length));
    const converted = await way.convert(from + answered.parts.length === 0 ? list : partOf(list, rest, true));
    const start = before.length === 0 ? 0 : converted.findIndex(({ role }) => role !== 'system'); // there is a user message
    const end = parts.length > 0 ? converted.findLastIndex(({ role }) => role === 'user') + 1 : converted.length;
    const made = [...answered.made, ...converted.slice(end)];
    if (parts.slice(answered.parts.length).every(isSettled)) answered = { parts, made };
    return [...converted.slice(0, start), ...before, ...converted.slice(start, end), ...made];
  };
};

/** An answer without its first parts. */
const withoutFirst = (answer: MastraDBMessage, count: number): MastraDBMessage => ({
  ...answer,
  content: { ...answer.content, parts: answer.content.parts.slice(count) },
});

/** Whether the steps of an answer are converted independently of each other: nothing belongs to the whole message. */
const isSplittable = ({ role, content }: MastraDBMessage): boolean =>
  role === 'assistant' &&
  Object.keys(content).every((name) => name === 'format' || name === 'parts' || name === 'metadata') &&
  content.metadata?.['providerMetadata'] === undefined;

/**
 * Whether the conversion of a part is final and independent of other steps. The provider's metadata can refer to other parts. A change in
 * place of a class instance in a result would not be noticed.
 */
const isSettled = (part: Part): boolean => {
  if (part.type === 'step-start') return true;
  if ('providerMetadata' in part || 'providerExecuted' in part) return false;
  if (part.type === 'text') return part.text.trim() !== '';
  return part.type === 'tool-invocation' && part.toolInvocation.state === 'result' && isPlain(part.toolInvocation);
};

/** Whether parts continue earlier ones with a new step. */
const beginsWith = (parts: readonly Part[], earlier: readonly Part[]): boolean =>
  parts.length >= earlier.length &&
  earlier.every((part, index) => part === parts[index]) &&
  (parts[earlier.length] ?? stepStart).type === stepStart.type;

const stepStart = { type: 'step-start' } as const;

/** Converts messages in the form that they have before a user message. */
const convertSettled = async <Message extends Converted>(
  way: ConversionWay<Message>,
  list: MessageList,
  settled: readonly MastraDBMessage[],
): Promise<Message[]> => (await way.convert(partOf(list, [...settled, question], false))).slice(0, -1);

const question: MastraDBMessage = {
  id: 'question',
  role: 'user',
  createdAt: new Date(0),
  content: { format: 2, parts: [{ type: 'text', text: '?' }] },
};

/** A list with some messages of another as input, with or without its system messages. The messages are shared, not copied. */
const partOf = (list: MessageList, messages: readonly MastraDBMessage[], hasSystem: boolean): MessageList => {
  const listInsides = insidesOf(list);
  const part = emptyLike(list, listInsides);
  const insides = insidesOf(part);
  for (const message of messages) {
    insides.messages.push(message);
    insides.newUserMessages.add(message);
  }
  if (hasSystem)
    Object.assign(insides, {
      systemMessages: listInsides.systemMessages,
      taggedSystemMessages: listInsides.taggedSystemMessages,
    });
  return part;
};
