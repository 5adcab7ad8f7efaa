import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Processor } from '@mastra/core/processors';

import { guardedToolLoop } from '../../../../src/ai-sdk/index.js';
import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel(['Your number is 4111', '-1111, keep it.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted');

/** Without a window a guard judges single deltas; `guard(noNumber, { window: 'part' })` judges whole values. */
const noNumber = {
  id: 'no-number',
  processOutputStream: async ({ part, abort }) =>
    part.type === 'text-delta' && part.payload.text.includes('4111-1111') ? abort('a number') : part,
} satisfies Processor;

const agent = guardedToolLoop({ model, tools: {}, guards: [noNumber] as never });
const stream = await agent.stream({ prompt: 'Hello.' });
let reader = '';
for await (const text of stream.textStream) reader += text;
report('4111-1111', { reader });
