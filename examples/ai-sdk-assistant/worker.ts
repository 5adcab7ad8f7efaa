import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { isStopError } from 'mastra-interlock/ai-sdk';
import { createAssistant } from './agent.ts';

interface Env {
  readonly OPENAI_API_KEY: string;
  readonly OPENAI_BASE_URL?: string;
}

/** The assistant as a Cloudflare Worker: the body of a request is the prompt. */
export default {
  fetch: async (request: Request, env: Env): Promise<Response> => {
    const baseURL = env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1';
    const openai = createOpenAICompatible({ name: 'openai', baseURL, apiKey: env.OPENAI_API_KEY });
    try {
      const { text } = await createAssistant(openai('gpt-4.1-mini')).generate({ prompt: await request.text() });
      return new Response(text);
    } catch (error) {
      if (!isStopError(error)) throw error;
      return new Response(error.message, { status: 422 });
    }
  },
};
