import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import type { Run } from '../../loop/run.js';
import { copyPlain, fieldsIn, isObject, isPlain, isSame } from '../../phase/plain-data.js';
import { emptyLike, insidesOf, isKnownInside, isUserText, settledLength, type MessageCopies } from './list-insides.js';

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

/**
 * Converts a growing list repeatedly, with the result of Mastra's own conversion. Messages before the last user message, and the
 * first steps of a long answer to it, are converted again only after a change. Each result has messages and parts of its own.
 *
 * @param messagesOf the messages of a list to convert
 * @param convert Mastra's own conversion of them
 */
export const createConversion = <Message extends Converted>(
  messagesOf: (list: MessageList) => readonly MastraDBMessage[],
  convert: (list: MessageList) => Promise<Message[]> | Message[],
  copies: MessageCopies,
): ((list: MessageList) => Promise<Message[]>) => {
  let [earlier, steps]: [Known<Message>, Known<Message>] = [none, none];
  const earlierOf = async (list: MessageList, messages: readonly MastraDBMessage[], of: readonly object[]) => {
    if (of.length === earlier.of.length && startsWith(of, earlier.of)) return earlier.made;
    const made = (await convert(partOf(list, [...messages, question], false))).slice(0, -1);
    if (isPlain(of)) earlier = { of, made }; // changes inside an instance of a class are not noticed
    return made;
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
    const rest = await convert(partOf(list, [...messages.slice(length, length + 1), ...last], true));
    const start = rest.findIndex(({ role }) => role !== 'system'); // there is a user message
    const made = known.made.concat(rest.slice(start + 1)); // not in place: other conversions may be under way
    if (settled > from && settled === parts.length && isPlain(parts.slice(from))) steps = { of: parts, made };
    return rest
      .slice(0, start)
      .concat(before, rest.slice(start, start + 1), made)
      .map(copied);
  };
};

/** Copies a message, because middleware and tools mark messages and parts in place, and later calls must not get these marks. */
const copied = <Message extends Converted>(message: Message): Message => {
  const copy = copiedPart(message);
  return typeof copy.content === 'string' ? copy : Object.assign(copy, { content: copy.content.map(copiedPart) });
};

const copiedPart = <T extends object>(part: T): T => {
  const { output, providerOptions } = fieldsIn(part);
  return {
    ...part,
    ...(isObject(output) && { output: { ...output } }),
    ...(isObject(providerOptions) && { providerOptions: copyPlain(providerOptions) }),
  };
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

type Content = MastraDBMessage['content'];
type Part = Content['parts'][number];
type PartOf<T extends Part['type']> = Extract<Part, { type: T }>;

/** A field of a message that repeats its parts of one type. Without such a part, Mastra sends the field to the model. */
interface Mirror {
  readonly type: Part['type'];
  readonly field: 'reasoning' | 'toolInvocations' | 'content';
  /** The parts equal to the field. */
  toParts(content: Content): Part[];
}

const mirrors: readonly Mirror[] = [
  {
    type: 'reasoning',
    field: 'reasoning',
    toParts: ({ reasoning = '' }) => [{ type: 'reasoning', reasoning, details: [{ type: 'text', text: reasoning }] }],
  },
  {
    type: 'tool-invocation',
    field: 'toolInvocations',
    toParts: ({ toolInvocations = [] }) => toolInvocations.map((toolInvocation) => ({ type: 'tool-invocation', toolInvocation })),
  },
  { type: 'text', field: 'content', toParts: ({ content = '' }) => [{ type: 'text', text: content }] },
];

/** True if a field has content but the message has no part of its type. */
const speaks = ({ type, field }: Mirror, content: Content): boolean => {
  if (!content[field]?.length) return false;
  for (const part of content.parts) if (part.type === type) return false;
  return true;
};

/** The mirrors whose field has content but no part. One function per message: V8 would discard the code of a loop inside a long loop. */
const mirrorsOf = (content: Content): readonly Mirror[] => mirrors.filter((mirror) => speaks(mirror, content));

/**
 * Adds parts for content that incoming messages have only in fields, because guards check parts. Removes Mastra's copy of files: the
 * model would get it after a guard has removed the part.
 */
export const addMissingParts = (messages: readonly MastraDBMessage[]): void => {
  for (const { content } of messages) {
    content.parts ??= []; // missing in some external messages
    if (content.parts.some(({ type }) => type === 'file')) delete content.experimental_attachments;
    mirrorsOf(content).forEach(({ toParts }) => content.parts.push(...toParts(content)));
  }
};

/**
 * The messages as Mastra's agent returns them, in copies: answers repeat their text in a field. The messages of a list get no such field
 * before they were accepted, because guards edit parts.
 */
export const withTextFields = (messages: readonly MastraDBMessage[], { getPersisted }: MessageList): MastraDBMessage[] => {
  const answers = new Set(getPersisted.response.db());
  return messages.map((message) => {
    const copy = { ...message, content: { ...message.content, parts: message.content.parts ?? [] } };
    if (answers.has(message)) fillTextField(copy);
    else followParts(copy.content);
    return copy;
  });
};

/** Updates these fields in the messages of a list. */
export const fillTextFields = ({ get }: MessageList): void => {
  for (const { content } of get.input.db()) followParts(content);
  for (const message of get.response.db()) fillTextField(message);
};

/** Sets the fields of a message of the answer that repeat its parts. */
const fillTextField = ({ role, content }: MastraDBMessage): void => {
  const text = role === 'assistant' ? lastText(content.parts) : '';
  if (text !== '') content.content = text; // a new answer has no such field yet
  followParts(content);
};

/** Updates the fields of a message that repeat its parts, if guards have edited or removed these. */
export const followParts = (content: Content): void => {
  mirrorsOf(content).forEach(({ field }) => delete content[field]);
  const { parts } = content;
  if (content.content && !parts.some((part) => part.type === 'text' && part.text === content.content)) {
    const texts = ofType(parts, 'text').map(({ text }) => text);
    if (!repeats(content.content, [...texts, lastText(parts)])) content.content = texts.join('\n');
  }
  if (content.reasoning) {
    const reasons = ofType(parts, 'reasoning').map(({ reasoning }) => reasoning);
    if (!repeats(content.reasoning, reasons)) content.reasoning = reasons.join('\n');
  }
  if (content.toolInvocations) {
    const calls = ofType(parts, 'tool-invocation').map(({ toolInvocation }) => toolInvocation);
    if (!sameCalls(content.toolInvocations, calls)) content.toolInvocations = calls as Content['toolInvocations']; // the older type has fewer states
  }
};

const ofType = <T extends Part['type']>(parts: readonly Part[], type: T): PartOf<T>[] =>
  parts.filter((part): part is PartOf<T> => part.type === type);

/** True if a field repeats texts in one of Mastra's ways: one of them, or all, with or without line breaks. */
const repeats = (repetition: string, texts: readonly string[]): boolean =>
  texts.includes(repetition) || texts.join('') === repetition || texts.join('\n') === repetition;

type Call = PartOf<'tool-invocation'>['toolInvocation'];

const sameCalls = (repeated: readonly unknown[], calls: readonly Call[]): boolean =>
  repeated.length === calls.length &&
  calls.every((call, index) => {
    const { toolCallId, args, result } = repeated[index] as Partial<Call> & { result?: unknown };
    return (
      toolCallId === call.toolCallId && isSame(args, call.args) && isSame(result, 'result' in call ? call.result : undefined)
    );
  });

/** The text of the last step with text. */
const lastText = (parts: readonly Part[]): string => {
  const steps: string[][] = [[]];
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([]);
    if (part.type === 'text') steps.at(-1)?.push(part.text);
  }
  return steps.findLast((texts) => texts.length > 0)?.join('\n') ?? '';
};

/** The object of an accepted answer. `usedFallbackValue` is true if it is the fallback value. */
export const objectOf = ({ state: { status, attempt, list } }: Run): { object: unknown; usedFallbackValue: boolean } => {
  const isAccepted = status === 'success' && Boolean(attempt?.settings.structuredOutput);
  const last = isAccepted ? list.get.response.db().findLast(({ role }) => role === 'assistant') : undefined;
  const { structuredOutput: object, interlock } = fieldsIn(last?.content.metadata);
  return { object, usedFallbackValue: fieldsIn(interlock)['usedFallbackValue'] === true };
};
