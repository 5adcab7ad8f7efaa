import type { MastraModelConfig } from '@mastra/core/llm';
import { startOpenAIServer, type ReplySource } from 'mastra-interlock/testing';

export interface ModelServer {
  /** The address of the model; absent for OpenAI's own. */
  readonly url: string | undefined;
  readonly close: () => Promise<void>;
}

/** A local server that speaks OpenAI's protocol and answers from a script, unless OPENAI_API_KEY is set. It outlives the workers. */
export const openModelServer = async (reply: ReplySource): Promise<ModelServer> => {
  if (process.env['OPENAI_API_KEY']) return { url: undefined, close: async () => {} };
  const { baseUrl, close } = await startOpenAIServer({ reply });
  return { url: baseUrl, close };
};

/** The model in a worker. */
export const modelAt = (url: string | undefined): MastraModelConfig =>
  url ? { id: 'local/script', url, apiKey: 'none' } : 'openai/gpt-4.1-mini';
