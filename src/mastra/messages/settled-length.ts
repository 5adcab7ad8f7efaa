import type { MastraDBMessage } from '@mastra/core/agent/message-list';

/**
 * The number of messages before the last user message with text. The loop does not change them, because it answers after it.
 * Their conversion does not depend on later messages, because no later call has its result among them.
 */
export const settledLength = (messages: readonly MastraDBMessage[]): number => Math.max(0, messages.findLastIndex(isUserText));

export const isUserText = (message: MastraDBMessage | undefined): boolean =>
  message?.role === 'user' && message.content.parts.some((part) => part.type === 'text' && part.text.trim() !== '');
