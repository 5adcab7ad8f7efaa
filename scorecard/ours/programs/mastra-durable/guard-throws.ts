import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import type { Processor } from '@mastra/core/processors';

import { report, serveModel } from '../../../scripted-model.js';

const { url, requests } = await serveModel(['All unjudged words.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted') as never;

const outOfOrder = {
  id: 'out-of-order',
  processInput: async () => {
    throw new Error('the guard is out of order');
  },
} satisfies Processor;

const config = { id: 'agent', name: 'agent', instructions: 'Help.', model };
const agent = createDurableAgent({ agent: new Agent({ ...config, inputProcessors: [outOfOrder] }) });
const { text: answer } = await (await agent.stream('Hello.')).output.getFullOutput();
console.log(`requests: ${requests.length}`);
report('unjudged', { answer });
