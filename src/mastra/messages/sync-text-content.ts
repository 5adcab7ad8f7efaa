import type { MastraDBMessage } from '@mastra/core/agent/message-list';

type Content = MastraDBMessage['content'];
type Part = Content['parts'][number];

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

/** Adds parts for content that incoming messages have only in fields, because guards check parts. */
export const addMissingParts = (messages: readonly MastraDBMessage[]): void => {
  for (const { content } of messages) {
    content.parts ??= []; // missing in some external messages
    mirrorsOf(content).forEach(({ toParts }) => content.parts.push(...toParts(content)));
  }
};

/** Removes fields whose parts a guard has removed. */
export const dropStaleFields = (messages: readonly MastraDBMessage[]): void => {
  for (const { content } of messages) mirrorsOf(content).forEach(({ field }) => delete content[field]);
};
