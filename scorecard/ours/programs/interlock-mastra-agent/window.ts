import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';

import { guard, guardsFor, pipeline } from '../../../../src/index.js';
import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel(['Your number is 4111', '-1111, keep it.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted') as never;

const noNumber = {
  id: 'no-number',
  processOutputStream: async ({ part, abort }) =>
    part.type === 'text-delta' && part.payload.text.includes('4111-1111') ? abort('a number') : part,
} satisfies Processor;

/** A window takes a loop that holds text back; Mastra's agent gives its guards one delta at a time. */
const guards = pipeline('guards')
  .then(guard(noNumber, { window: 'part' }))
  .commit();
const agent = new Agent({ id: 'agent', name: 'agent', instructions: 'Help.', model, ...guardsFor(guards) } as never);
const stream = await agent.stream('Hello.');
let reader = '';
for await (const text of stream.textStream) reader += text;
report('4111-1111', { reader });
