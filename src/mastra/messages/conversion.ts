import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import { isPlain } from '../../phase/plain-data.js';
import { emptyLike, insidesOf, isKnownInside } from './list-insides.js';
import { type MessageCopies, settledLength } from './message-copies.js';

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

/** The number of messages from which caching pays: splitting a list costs about as much as converting this many. */
const minCached = 20;

/**
 * Converts a growing list repeatedly, with the result of Mastra's own conversion. Messages before the last user message are converted
 * again only after a change. A cached conversion returns the same objects.
 */
export const createConversion = <Message extends Converted>(
  { messagesOf, convert }: ConversionWay<Message>,
  copies: MessageCopies,
): ((list: MessageList) => Promise<Message[]>) => {
  let cache: { readonly of: readonly MastraDBMessage[]; readonly made: readonly Message[] } = { of: [], made: [] };
  return async (list) => {
    const messages = messagesOf(list);
    const length = settledLength(messages);
    if (length < minCached || !isKnownInside(list)) return convert(list);
    const of = copies.of(messages).slice(0, length);
    const isCached = cache.of.length === length && of.every((copy, index) => copy === cache.of[index]);
    const made = isCached
      ? cache.made
      : (await convert(partOf(list, [...messages.slice(0, length), question], false))).slice(0, -1);
    if (!isCached) cache = { of: isPlain(of) ? of : [], made }; // changes inside an instance of a class are not noticed
    const rest = await convert(partOf(list, messages.slice(length), true));
    const start = rest.findIndex(({ role }) => role !== 'system'); // there is a user message
    return [...rest.slice(0, start), ...made, ...rest.slice(start)];
  };
};

/** A question, so that earlier messages are converted in the form that they have before it. */
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
