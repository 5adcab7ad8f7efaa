import type { MastraDBMessage } from '@mastra/core/agent/message-list';

type Content = MastraDBMessage['content'];
type Part = Content['parts'][number];

/** A field in which a message repeats parts of one kind. Where it has no such part, Mastra sends the model what the field says. */
interface Mirror {
  readonly type: Part['type'];
  readonly field: 'reasoning' | 'toolInvocations' | 'content';
  /** The parts that say what the field says. */
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

/** Whether a field speaks for parts which a message does not have. */
const speaks = ({ type, field }: Mirror, content: Content): boolean => {
  if (!content[field]?.length) return false;
  for (const part of content.parts) if (part.type === type) return false;
  return true;
};

/** Guards look at parts: what a message that comes into a run says in its fields alone becomes parts, so that they see it. */
export const addMissingParts = (messages: readonly MastraDBMessage[]): void => {
  for (const { content } of messages) {
    content.parts ??= []; // absent in some that come from outside
    for (const mirror of mirrors) if (speaks(mirror, content)) content.parts.push(...mirror.toParts(content));
  }
};

/** Guards take out parts: no field goes on saying what a part no longer says. */
export const dropStaleFields = (messages: readonly MastraDBMessage[]): void => {
  for (const { content } of messages) for (const mirror of mirrors) if (speaks(mirror, content)) delete content[mirror.field];
};
