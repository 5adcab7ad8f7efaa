import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import { emptyLike, insidesOf, isKnownInside } from './list-insides.js';
import type { MessageCopies } from './message-copies.js';
import { settledLength } from './settled-length.js';

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

/** The settled part of a conversation and its conversion. */
interface CachedConversion<Message> {
  readonly copies: readonly MastraDBMessage[];
  readonly made: readonly Message[];
}

/** The number of messages from which caching pays: splitting a list costs about as much as converting this many. */
const minCached = 20;

/**
 * Converts a growing list repeatedly. Messages before the last user message are converted once, and again only after a change;
 * the rest is converted each time. A cached conversion returns the same objects.
 */
export const createConversion = <Message extends Converted>(
  way: ConversionWay<Message>,
  copies: MessageCopies,
): ((list: MessageList) => Promise<Message[]>) => {
  let cached: CachedConversion<Message> | undefined;
  return async (list) => {
    const messages = way.messagesOf(list);
    const length = settledLength(messages);
    if (length < minCached || !isKnownInside(list)) return way.convert(list);
    const now = copies.settled(messages, length);
    if (cached?.copies !== now) cached = { copies: now, made: await convertSettled(way, list, messages.slice(0, length)) };
    const rest = await way.convert(partOf(list, messages.slice(length), true));
    const start = rest.findIndex(({ role }) => role !== 'system'); // there is a user message
    return [...rest.slice(0, start), ...cached.made, ...rest.slice(start)];
  };
};

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
