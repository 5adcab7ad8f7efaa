import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import { learnExamples } from './convert-by-example.js';
import { emptyLike, insidesOf, isKnownInside } from './list-insides.js';
import type { MessageCopies } from './message-copies.js';
import { readPlain, type PlainMessage } from './plain-message.js';
import { settledLength } from './settled-length.js';

/** A message as models or tools are given it. */
interface Converted {
  readonly role: string;
  readonly content: string | readonly object[];
}

/** One way of turning a list into what a model or a tool is given. */
export interface ConversionWay<Message extends Converted> {
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
 * Converts a list that grows, again and again. What stands before the last that the user said is converted once, and again only
 * where it was changed; the rest each time. What was converted once is given again, the same objects.
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

/**
 * Converts messages as they are converted before something that the user says. How one that is a text and nothing else is converted
 * depends on no other: where many of these follow each other, Mastra is asked about an example of them.
 */
const convertSettled = async <Message extends Converted>(
  way: ConversionWay<Message>,
  list: MessageList,
  settled: readonly MastraDBMessage[],
): Promise<Message[]> => {
  const runs = runsOf(settled);
  const byExample = runs.some(({ plain }) => plain)
    ? await learnExamples((examples) => convertBetween(way, list, { messages: examples, isFirst: true }))
    : undefined;
  if (!byExample) return convertBetween(way, list, { messages: settled, isFirst: true });
  const made: Message[] = [];
  for (const run of runs) {
    if (run.plain) for (const message of run.plain) made.push(byExample(message));
    else made.push(...(await convertBetween(way, list, run)));
  }
  return made;
};

/** Messages that follow each other. */
interface MessageRun {
  readonly messages: readonly MastraDBMessage[];
  /** Whether no other message stands before them. */
  readonly isFirst: boolean;
}

/** Converts messages that stand behind something that the user says, or behind nothing, and before something that the user says. */
const convertBetween = async <Message extends Converted>(
  way: ConversionWay<Message>,
  list: MessageList,
  { messages, isFirst }: MessageRun,
): Promise<Message[]> =>
  (await way.convert(partOf(list, isFirst ? [...messages, question] : [question, ...messages, question], false))).slice(
    isFirst ? 0 : 1,
    -1,
  );

/** Cuts messages into those of which many follow each other and are one text each, and others. */
const runsOf = (messages: readonly MastraDBMessage[]): (MessageRun & { readonly plain?: readonly PlainMessage[] })[] => {
  const read = messages.map(readPlain);
  // Before an answer that comes first Mastra may put a message of its own.
  const first = read.findIndex((message) => message?.role === 'user');
  const plain = read.map((message, index) => (index < first ? undefined : message));
  const runs: (MessageRun & { plain?: readonly PlainMessage[] })[] = [];
  let from = 0;
  const cut = (to: number): void => {
    if (to > from) runs.push({ messages: messages.slice(from, to), isFirst: from === 0 });
    from = to;
  };
  for (let index = 0; index < messages.length; index += 1) {
    let end = index;
    while (plain[end]) end += 1;
    if (end - index >= worthKeeping) {
      cut(index);
      runs.push({ messages: [], isFirst: false, plain: plain.slice(index, end).filter((one) => one !== undefined) });
      from = end;
    }
    index = Math.max(index, end);
  }
  cut(messages.length);
  return runs;
};

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
