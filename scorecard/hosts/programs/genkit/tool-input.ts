import { openAICompatible } from '@genkit-ai/compat-oai';
import { generateMiddleware, genkit, z } from 'genkit';

import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel({ call: 'save', text: '4111-1111' }, ['Saved.']);
const ai = genkit({ plugins: [openAICompatible({ name: 'local', baseURL: url, apiKey: 'none' })] });
const schemas = { inputSchema: z.object({ text: z.string() }), outputSchema: z.string() };
const save = ai.defineTool({ name: 'save', description: 'Saves.', ...schemas }, async () => 'ok');

const noNumber = generateMiddleware({ name: 'no-number' }, () => ({
  tool: async (request, ctx, next) => {
    if (JSON.stringify(request.toolRequest.input).includes('4111-1111')) throw new Error('a number');
    return next(request, ctx);
  },
}));

const request = { model: 'local/scripted', prompt: 'Hello.', tools: [save], use: [noNumber()] };
const { stream, response } = ai.generateStream(request);
const reader: unknown[] = [];
try {
  for await (const { content } of stream) reader.push(content);
} catch (error) {
  console.log(`error: ${error.message}`);
}
await response.catch(() => {});
report('4111-1111', { reader });
