import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import { emptyLike, insidesOf, isKnownInside } from './list-insides.js';
import type { MessageCopies } from './message-copies.js';
import { settledLength } from './settled-length.js';

/** A message as models or tools are given it. */
interface Converted {
  readonly role: string;
  readonly content: string | readonly object[];
}

/** One way of turning a list into what a model or a tool is given. */
interface ConversionWay<Message extends Converted> {
  /** Which of a list's messages are converted. */
  messagesOf(list: MessageList): readonly MastraDBMessage[];
  /** Mastra's own conversion of them. */
  convert(list: MessageList): Promise<Message[]> | Message[];
}

/** The settled part of a conversation and what it was converted to. */
interface Kept<Message> {
  readonly copies: readonly MastraDBMessage[];
  readonly made: readonly Message[];
}

/** Making lists for two parts costs as much as converting so many messages. */
const worthKeeping = 20;

/**
 * Converts a growing list repeatedly. Messages before the last user message are converted once, and again only after a change;
 * the rest is converted each time. A cached conversion returns the same objects.
 */
export const createConversion = <Message extends Converted>(
  way: ConversionWay<Message>,
  copies: MessageCopies,
): ((list: MessageList) => Promise<Message[]>) => {
  let kept: Kept<Message> | undefined;
  return async (list) => {
    const messages = way.messagesOf(list);
    const length = settledLength(messages);
    if (length < worthKeeping || !isKnownInside(list)) return way.convert(list);
    const now = copies.settled(messages, length);
    if (kept?.copies !== now) kept = { copies: now, made: await convertSettled(way, list, messages.slice(0, length)) };
    const rest = await way.convert(partOf(list, messages.slice(length), true));
    const start = rest.findIndex(({ role }) => role !== 'system'); // the user's message is there
    return [...rest.slice(0, start), ...kept.made, ...rest.slice(start)];
  };
};

/** Converts messages as they are converted before a message of the user. */
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

/** A list of some messages of another, all of them input, with its system messages or without. Its messages are the other's own. */
const partOf = (list: MessageList, messages: readonly MastraDBMessage[], hasSystem: boolean): MessageList => {
  const given = insidesOf(list);
  const part = emptyLike(list, given);
  const insides = insidesOf(part);
  for (const message of messages) {
    insides.messages.push(message);
    insides.newUserMessages.add(message);
  }
  if (hasSystem)
    Object.assign(insides, { systemMessages: given.systemMessages, taggedSystemMessages: given.taggedSystemMessages });
  return part;
};
