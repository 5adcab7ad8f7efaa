import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { MessagePort } from '../phase/host.js';

/** The result of a tool call in messages, including the text of an error. */
export const readToolResult = (
  messages: readonly MastraDBMessage[],
  toolCallId: string,
): ReturnType<MessagePort['readToolResult']> => {
  for (const message of messages.toReversed())
    for (const part of message.content.parts) {
      if (part.type !== 'tool-invocation' || part.toolInvocation.toolCallId !== toolCallId) continue;
      const { state, result, errorText } = part.toolInvocation;
      if (state === 'result') return { found: true, result };
      if (state === 'output-error' || state === 'output-denied') return { found: true, result: errorText };
    }
  return { found: false };
};
