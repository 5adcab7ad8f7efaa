import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel({ call: 'pay', text: 'all' }, ['Paid.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted') as never;
const effects: string[] = [];
const pay = createTool({
  id: 'pay',
  description: 'Pays.',
  inputSchema: z.object({ text: z.string() }),
  execute: async ({ text }) => {
    effects.push(`paid ${text}`);
    return 'receipt';
  },
});

/** Documented to run "after LLM response, before tool execution". */
const noPayment = {
  id: 'no-payment',
  processOutputStep: ({ toolCalls = [], messages, abort }) => (toolCalls.length > 0 ? abort('no payment') : messages),
} satisfies Processor;

const config = { id: 'agent', name: 'agent', instructions: 'Help.', model, tools: { pay } };
const result = await new Agent({ ...config, outputProcessors: [noPayment] }).generate('Hello.');
console.log(`tripwire: ${result.tripwire?.reason}`);
report('paid all', { effects });
