import type { MastraDBMessage } from '@mastra/core/agent/message-list';

/** Lists keep no system messages among the others, so that the type of their role does not know them; hooks return them there. */
export const isSystem = (message: MastraDBMessage): boolean => (message.role as string) === 'system';

/** The text of a system message, in whichever form it comes. */
export const systemText = ({ content }: MastraDBMessage): string => {
  if (typeof content === 'string') return content; // plain system messages are allowed among the returned messages
  const parts = content.parts?.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? [];
  return parts.length > 0 ? parts.join('\n') : (content.content ?? '');
};

/** Whether a message has the form in which lists keep messages, with an id. */
export const isStored = ({ id, content }: MastraDBMessage): boolean =>
  typeof id === 'string' && typeof content === 'object' && Array.isArray(content.parts);
