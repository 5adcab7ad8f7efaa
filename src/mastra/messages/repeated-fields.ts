import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import { isSame } from '../../phase/plain-data.js';

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
