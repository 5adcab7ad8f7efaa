import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import { isSame } from '../../phase/plain-data.js';

type Content = MastraDBMessage['content'];
type Part = Content['parts'][number];
type PartOf<T extends Part['type']> = Extract<Part, { type: T }>;

/**
 * Makes the fields in which a message repeats what its parts say follow the parts. Guards edit parts; without this the words that
 * they took out would still be saved, and searched by meaning, from the repetition.
 */
export const messageMirrors: Processor = {
  id: 'message-mirrors',
  processOutputResult: ({ messageList }) => {
    for (const { content } of messageList.get.input.db()) followParts(content);
    for (const { role, content } of messageList.get.response.db()) {
      const text = role === 'assistant' ? lastText(content.parts) : '';
      if (text !== '') content.content = text; // an answer has no such field until it is saved
      followParts(content);
    }
    return messageList;
  },
};

const followParts = (content: Content): void => {
  const { parts } = content;
  const texts = ofType(parts, 'text').map(({ text }) => text);
  if (content.content && !repeats(content.content, [...texts, lastText(parts)])) content.content = texts.join('\n');
  const reasons = ofType(parts, 'reasoning').map(({ reasoning }) => reasoning);
  if (content.reasoning && !repeats(content.reasoning, reasons)) content.reasoning = reasons.join('\n');
  const calls = ofType(parts, 'tool-invocation').map(({ toolInvocation }) => toolInvocation);
  if (content.toolInvocations && !sameCalls(content.toolInvocations, calls))
    content.toolInvocations = calls as Content['toolInvocations']; // the older type knows fewer states
};

const ofType = <T extends Part['type']>(parts: readonly Part[], type: T): PartOf<T>[] =>
  parts.filter((part): part is PartOf<T> => part.type === type);

/** The ways in which Mastra repeats texts: one of them, or all with or without a break between. */
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

/** The words of the last step that has any. */
const lastText = (parts: readonly Part[]): string => {
  const steps: string[][] = [[]];
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([]);
    if (part.type === 'text') steps.at(-1)?.push(part.text);
  }
  return steps.findLast((texts) => texts.length > 0)?.join('\n') ?? '';
};
