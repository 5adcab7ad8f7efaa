import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText, tool } from 'ai';
import { z } from 'zod';

import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel({ call: 'save', text: '4111-1111' }, ['Saved.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted');
const save = tool({
  description: 'Saves.',
  inputSchema: z.object({ text: z.string() }),
  needsApproval: async ({ text }) => text.includes('4111-1111'), // the documented means to keep a call from running
  execute: async () => 'ok',
});

const stream = streamText({ model, prompt: 'Hello.', tools: { save } });
let reader = '';
for await (const part of stream.fullStream) if (part.type === 'tool-input-delta') reader += part.delta;
report('4111-1111', { reader });
