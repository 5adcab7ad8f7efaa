import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { startOpenAIServer, type ReplySource } from 'mastra-interlock/testing';

/** OpenAI's model where OPENAI_API_KEY is set; else a local server that speaks the same protocol and answers from a script. */
export const openModel = async (reply: ReplySource) => {
  const apiKey = process.env['OPENAI_API_KEY'];
  if (apiKey) {
    const openai = createOpenAICompatible({ name: 'openai', baseURL: 'https://api.openai.com/v1', apiKey });
    return { model: openai('gpt-4.1-mini'), close: async () => {} };
  }
  const { baseUrl, close } = await startOpenAIServer({ reply });
  return { model: createOpenAICompatible({ name: 'local', baseURL: baseUrl })('script'), close };
};
