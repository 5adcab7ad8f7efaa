import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

import { InterlockAgent } from '../../../../src/index.js';
import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel({ call: 'save', text: '4111-1111' }, ['Saved.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted') as never;
const save = createTool({
  id: 'save',
  description: 'Saves.',
  inputSchema: z.object({ text: z.string() }),
  execute: async () => 'ok',
});

const noNumber = {
  id: 'no-number',
  processOutputStep: ({ toolCalls = [], messages, abort }) =>
    JSON.stringify(toolCalls).includes('4111-1111') ? abort('a number') : messages,
} satisfies Processor;

/** `hold: 'run'` keeps the arguments back until the step is judged. */
const config = { id: 'agent', name: 'agent', instructions: 'Help.', model, tools: { save } };
const stream = await new InterlockAgent({ ...config, outputProcessors: [noNumber] }).stream('Hello.');
const reader: unknown[] = [];
for await (const { type, payload } of stream.fullStream as AsyncIterable<{ type: string; payload: unknown }>)
  if (type.startsWith('tool-call')) reader.push(payload);
report('4111-1111', { reader });
