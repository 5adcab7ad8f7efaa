import type { MastraModelConfig } from '@mastra/core/llm';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { startOpenAIServer, type ReplySource } from 'mastra-interlock/testing';

/** A model for the agent, and the same as the AI SDK knows it, for the judge. */
export interface OpenModels {
  readonly model: MastraModelConfig;
  readonly judge: ReturnType<ReturnType<typeof createOpenAICompatible>>;
  readonly close: () => Promise<void>;
}

/** OpenAI's model where OPENAI_API_KEY is set; else a local server that speaks the same protocol and answers from a script. */
export const openModels = async (reply: ReplySource): Promise<OpenModels> => {
  const apiKey = process.env['OPENAI_API_KEY'];
  const server = apiKey ? undefined : await startOpenAIServer({ reply });
  const provider = createOpenAICompatible({
    name: 'openai',
    baseURL: server?.baseUrl ?? 'https://api.openai.com/v1',
    apiKey: apiKey ?? 'none',
  });
  return {
    model: server ? { id: 'local/script', url: server.baseUrl, apiKey: 'none' } : 'openai/gpt-4.1-mini',
    judge: provider('gpt-4.1-mini'),
    close: async () => server?.close(),
  };
};
