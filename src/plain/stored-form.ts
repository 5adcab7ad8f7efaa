import type { MastraDBMessage } from '@mastra/core/agent/message-list';

/** Lists store system messages separately, so that the type of a message's role lacks them; hooks may return them among the others. */
export const isSystem = (message: MastraDBMessage): boolean => (message.role as string) === 'system';

/** The text of a system message in any form. */
export const systemText = ({ content }: MastraDBMessage): string => {
  if (typeof content === 'string') return content; // hooks may return plain system messages
  const parts = content.parts?.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? [];
  return parts.length > 0 ? parts.join('\n') : (content.content ?? '');
};

/** Whether a message has the stored form of lists, with an id. */
export const isStored = ({ id, content }: MastraDBMessage): boolean =>
  typeof id === 'string' && typeof content === 'object' && Array.isArray(content.parts);
