import { openAICompatible } from '@genkit-ai/compat-oai';
import { generateMiddleware, genkit } from 'genkit';

import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel(['Your number is 4111', '-1111, keep it.']);
const ai = genkit({ plugins: [openAICompatible({ name: 'local', baseURL: url, apiKey: 'none' })] });

const noNumber = generateMiddleware({ name: 'no-number' }, () => ({
  model: async (request, ctx, next) => {
    const onChunk = (chunk: { content?: { text?: string }[] }) => {
      if (chunk.content?.some(({ text = '' }) => text.includes('4111-1111'))) throw new Error('a number');
      ctx.onChunk?.(chunk as never);
    };
    return next(request, { ...ctx, onChunk: onChunk as never });
  },
}));

const { stream, response } = ai.generateStream({ model: 'local/scripted', prompt: 'Hello.', use: [noNumber()] });
let reader = '';
for await (const { text } of stream) reader += text;
await response;
report('4111-1111', { reader });
