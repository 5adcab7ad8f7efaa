import { createAgentUIStreamResponse, type LanguageModel, type UIMessage } from 'ai';
import { guardedToolLoop } from 'mastra-interlock/ai-sdk';
import { promptInjectionGuard, redactor } from 'mastra-interlock/guards';
import { acceptedMessages } from 'mastra-interlock/ui';

/** The chat route of a server: `useChat` sends the messages of the chat, and gets the answer as a stream of UI messages. */
export const createRoute = (model: Exclude<LanguageModel, string>) => {
  const agent = guardedToolLoop({ model, guards: [promptInjectionGuard(), redactor({ strategy: 'replace', kinds: ['email'] })] });
  return async (request: Request): Promise<Response> => {
    const { messages } = (await request.json()) as { messages: UIMessage[] };
    return createAgentUIStreamResponse({ agent, uiMessages: acceptedMessages(messages) });
  };
};
