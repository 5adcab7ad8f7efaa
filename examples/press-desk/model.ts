import type { MastraModelConfig } from '@mastra/core/llm';
import { startOpenAIServer, type ReplySource } from 'mastra-interlock/testing';

export interface OpenModel {
  readonly model: MastraModelConfig;
  readonly close: () => Promise<void>;
}

/** OpenAI's model where OPENAI_API_KEY is set; else a local server that speaks the same protocol and answers from a script. */
export const openModel = async (reply: ReplySource): Promise<OpenModel> => {
  if (process.env['OPENAI_API_KEY']) return { model: 'openai/gpt-4.1-mini', close: async () => {} };
  const { baseUrl, close } = await startOpenAIServer({ reply });
  return { model: { id: 'local/script', url: baseUrl, apiKey: 'none' }, close };
};
