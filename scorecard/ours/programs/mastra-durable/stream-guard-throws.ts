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
const { output: stream } = await agent.stream('Hello.');
let reader = '';
for await (const text of stream.textStream) reader += text;
console.log(`finish reason: ${await stream.finishReason}`);
report('unjudged', { reader });
