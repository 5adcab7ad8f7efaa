import { openAICompatible } from '@genkit-ai/compat-oai';
import { generateMiddleware, genkit } from 'genkit';

import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel(['Your number is 4111-1111, keep it.']);
const ai = genkit({ plugins: [openAICompatible({ name: 'local', baseURL: url, apiKey: 'none' })] });

const noNumber = generateMiddleware({ name: 'no-number' }, () => ({
  model: async (request, ctx, next) => {
    const response = await next(request, ctx);
    if (JSON.stringify(response.message).includes('4111-1111')) throw new Error('a number');
    return response;
  },
}));

const { stream, response } = ai.generateStream({ model: 'local/scripted', prompt: 'Hello.', use: [noNumber()] });
let reader = '';
try {
  for await (const { text } of stream) reader += text;
  await response;
} catch (error) {
  console.log(`error: ${error.message}`);
}
await response.catch(() => {});
report('4111-1111', { reader });
