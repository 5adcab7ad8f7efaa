import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';

/** A guard that puts a name in place of what an expression finds in the user's words. */
export const masking = (id: string, found: RegExp, mask: string): Processor => ({
  id,
  processInput: async ({ messages }) => {
    const edited = messages.map((message) => masked(message, found, mask));
    return edited.some((message, index) => message !== messages[index]) ? edited : messages;
  },
});

const masked = (message: MastraDBMessage, found: RegExp, mask: string): MastraDBMessage => {
  const parts = message.content.parts.map((part) =>
    part.type === 'text' && part.text.search(found) >= 0 ? { ...part, text: part.text.replaceAll(found, mask) } : part,
  );
  const isSame = parts.every((part, index) => part === message.content.parts[index]);
  return isSame ? message : { ...message, content: { ...message.content, parts } };
};
