import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
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

const agent = createDurableAgent({
  agent: new Agent({ id: 'agent', name: 'agent', instructions: 'Help.', model, outputProcessors: [outOfOrder] }),
});
const { text, error } = await (await agent.stream('Hello.')).output.getFullOutput();
console.log(`text: "${text}"`);
report('completed', { ended: error ? 'failed' : 'completed' });
