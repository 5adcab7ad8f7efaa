import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, tool, type ModelMessage } from 'ai';
import { z } from 'zod';

import { report, serveModel } from '../../../scripted-model.js';

const { url, requests } = await serveModel({ call: 'look', text: 'up' }, ['Done.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted');
const look = tool({ description: 'Looks.', inputSchema: z.object({ text: z.string() }), execute: async () => 'secret-data' });

/** Changes what the model reads. The result of the run keeps what the tool returned. */
const redact = (messages: ModelMessage[]): ModelMessage[] =>
  JSON.parse(JSON.stringify(messages).replaceAll('secret-data', '[cut]'));

const result = await generateText({
  model,
  prompt: 'Hello.',
  tools: { look },
  stopWhen: isStepCount(3),
  prepareStep: ({ messages }) => ({ messages: redact(messages) }),
});
report('secret-data', {
  'second request': requests[1],
  'steps of the result': result.steps.map(({ toolResults }) => toolResults),
});
