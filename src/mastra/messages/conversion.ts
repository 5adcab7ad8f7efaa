import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import type { Run } from '../../loop/run.js';
import { copyPlain, fieldsIn, isObject, isPlain, isSame } from '../../phase/plain-data.js';
import { emptyLike, hasCall, insidesOf, isKnownInside, isUserText, settledLength, type MessageCopies } from './list-insides.js';

/** A message for models or tools. */
interface Converted {
  readonly role: string;
  readonly content: string | readonly object[];
}

/** The numbers of messages and of parts of an answer from which caching pays: splitting a list costs about as much as converting these. */
const minCached = { messages: 20, parts: 4 };

/** Copies of content whose conversion does not depend on what follows it, and that conversion. */
interface Known<Message> {
  readonly of: readonly object[];
  readonly made: readonly Message[];
}
const none = { of: [], made: [] };

type DBMessages = readonly MastraDBMessage[];
/** A question, as a list of one message, and its copy. */
type Question = readonly [asked: DBMessages, copy: MastraDBMessage | undefined];
type MessagesOf = (list: MessageList) => DBMessages;
type Convert<Message> = (list: MessageList) => Promise<Message[]>;

/**
 * Converts a growing list repeatedly, with the result of Mastra's own conversion. Messages before the last user message, and the
 * first steps of a long answer to it, are converted again only after a change. Each result has messages and parts of its own.
 *
 * @param messagesOf the messages of a list to convert
 * @param convert Mastra's own conversion of them
 */
export const createConversion = <Message extends Converted>(
  messagesOf: MessagesOf,
  convert: (list: MessageList) => Promise<Message[]> | Message[],
  copies: MessageCopies,
): Convert<Message> => {
  let [earlier, steps]: [Known<Message>, Known<Message>] = [none, none];
  const earlierOf = async (list: MessageList, messages: readonly MastraDBMessage[], of: readonly object[]) => {
    if (of.length === earlier.of.length && startsWith(of, earlier.of)) return earlier.made;
    const made = (await convert(partOf(list, [...messages, question], false))).slice(0, -1);
    if (isPlain(of)) earlier = { of, made }; // changes inside an instance of a class are not noticed
    return made;
  };
  let head: { readonly of: unknown; readonly made: readonly Message[] } = none;
  /** Converts a question and the messages after it. Before the rest of an answer, what is known of its head is not converted again. */
  const answerTo = async (
    list: MessageList,
    [asked, copy]: Question,
    { last, isRest }: { last: DBMessages; isRest: boolean },
  ) => {
    const { systemMessages, taggedSystemMessages } = insidesOf(list);
    const of = [systemMessages, taggedSystemMessages, copy];
    if (isRest && isSame(of, head.of)) {
      const { made: before } = head; // other conversions may be under way
      const rest = await convert(partOf(list, last, false));
      const start = rest.findIndex(({ role }) => role !== 'user'); // Mastra puts a message before an answer without a question
      return [before, start === -1 ? [] : rest.slice(start)] as const;
    }
    const all = await convert(partOf(list, [...asked, ...last], true));
    const start = all.findIndex(({ role }) => role !== 'system') + 1; // there is a user message
    const made = all.slice(0, start);
    if (isPlain(of)) head = { of: [...copyPlain(of.slice(0, 2)), copy], made };
    return [made, all.slice(start)] as const;
  };
  const knownSteps = (parts: readonly { type: string }[], settled: number): Known<Message> => {
    const { length } = steps.of;
    return length <= settled && isStartOf(parts, length) && startsWith(parts, steps.of) ? steps : none;
  };
  return async (list) => {
    const messages = messagesOf(list);
    const length = settledLength(messages);
    const answer = answerOnly(messages, length);
    const settled = answer ? settledParts(answer) : 0;
    if ((length < minCached.messages && settled < minCached.parts) || !isKnownInside(list))
      return (await convert(list)).map(copied);
    const of = copies.of(messages);
    const before = await earlierOf(list, messages.slice(0, length), of.slice(0, length));
    const parts = of.at(-1)?.content.parts ?? [];
    const known = knownSteps(parts, settled);
    const { length: from } = known.of;
    const last = answer && from > 0 ? partsFrom(answer, from) : messages.slice(length + 1);
    const asked: Question = [messages.slice(length, length + 1), of[length]];
    const [start, rest] = await answerTo(list, asked, { last, isRest: from > 0 && last.length > 0 });
    const made = known.made.concat(rest); // not in place, see above
    if (settled > from && settled === parts.length && isPlain(parts.slice(from))) steps = { of: parts, made };
    return [...start.slice(0, -1), ...before, ...start.slice(-1), ...made].map(copied);
  };
};

/** The same for a list that seldom changes: while it does not, nothing is converted again. */
export const createOneConversion = <Message extends Converted>(
  messagesOf: MessagesOf,
  convert: Convert<Message>,
  copies: MessageCopies,
): Convert<Message> => {
  let known: Known<Message> = none;
  return async (list) => {
    const of = copies.of(messagesOf(list));
    const isKnown = of.length > 0 && of.length === known.of.length && startsWith(of, known.of);
    const made = isKnown ? known.made : await convert(list);
    if (!isKnown && isPlain(of) && !of.some(hasCall)) known = { of, made }; // Mastra looks for calls in later messages, too
    return made.map(copied);
  };
};

/** Copies a message, because middleware and tools mark messages and parts in place, and later calls must not get these marks. */
const copied = <Message extends Converted>(message: Message): Message => {
  const copy = copiedPart(message);
  return typeof copy.content === 'string' ? copy : Object.assign(copy, { content: copy.content.map(copiedPart) });
};

const copiedPart = <T extends object>(part: T): T => {
  const copy: T & { output?: unknown; providerOptions?: unknown } = { ...part };
  const { output, providerOptions } = copy;
  if (isObject(output)) copy.output = { ...output };
  if (isObject(providerOptions)) copy.providerOptions = copyPlain(providerOptions);
  return copy;
};

/** The answer, if the list ends with a user message with text and one message after it. */
const answerOnly = (messages: readonly MastraDBMessage[], length: number): MastraDBMessage | undefined =>
  length === messages.length - 2 && isUserText(messages[length]) ? messages.at(-1) : undefined;

const startsWith = (list: readonly object[], start: readonly object[]): boolean =>
  start.length <= list.length && start.every((one, index) => one === list[index]);

/** Whether a step may start at an index of an answer's parts. */
const isStartOf = (parts: readonly { type: string }[], index: number): boolean =>
  index === parts.length || parts[index]?.type === 'step-start';

/** A message with its parts from one on; none without parts. */
const partsFrom = (message: MastraDBMessage, from: number): MastraDBMessage[] => {
  const parts = message.content.parts.slice(from);
  return parts.length > 0 ? [{ ...message, content: { ...message.content, parts } }] : [];
};

/**
 * The number of parts at the beginning of an answer that are whole steps of only text and finished calls, the last with a call at its
 * end, so that neither later parts nor the provider's marks affect their conversion.
 */
const settledParts = ({ role, content: { parts, providerMetadata } }: MastraDBMessage): number => {
  if (role !== 'assistant' || providerMetadata) return 0;
  let [settled, index] = [0, 0];
  for (const part of parts) {
    if (!isSettled(part)) break;
    index += 1;
    if (part.type === 'tool-invocation' && isStartOf(parts, index)) settled = index;
  }
  return settled;
};

const isSettled = (part: MastraDBMessage['content']['parts'][number]): boolean => {
  if (part.type === 'step-start') return true;
  if ((part.type !== 'text' && part.type !== 'tool-invocation') || part.providerMetadata) return false;
  return part.type === 'text' ? part.text.trim() !== '' : part.toolInvocation.state === 'result' && !part.providerExecuted;
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

/** The object of an accepted answer. `usedFallbackValue` is true if it is the fallback value. */
export const objectOf = ({ state: { status, attempt, list } }: Run): { object: unknown; usedFallbackValue: boolean } => {
  const isAccepted = status === 'success' && Boolean(attempt?.settings.structuredOutput);
  const last = isAccepted ? list.get.response.db().findLast(({ role }) => role === 'assistant') : undefined;
  const { structuredOutput: object, interlock } = fieldsIn(last?.content.metadata);
  return { object, usedFallbackValue: fieldsIn(interlock)['usedFallbackValue'] === true };
};
