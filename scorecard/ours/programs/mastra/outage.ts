import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';

import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel(['All ', 'unjudged ', 'words.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted') as never;

const outOfOrder = {
  id: 'out-of-order',
  processOutputStream: async () => {
    throw new Error('the guard is out of order');
  },
} satisfies Processor;

const agent = new Agent({ id: 'agent', name: 'agent', instructions: 'Help.', model, outputProcessors: [outOfOrder] });
const { text, error } = await agent.generate('Hello.');
console.log(`text: "${text}"`);
report('completed', { ended: error ? 'failed' : 'completed' });
