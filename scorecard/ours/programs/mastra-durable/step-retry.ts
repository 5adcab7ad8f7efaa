import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import type { Processor } from '@mastra/core/processors';

import { report, serveModel } from '../../../scripted-model.js';

const { url, requests } = await serveModel(['Some bad words.'], ['Good words.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted') as never;

const again = {
  id: 'again',
  processOutputStep: ({ text = '', messages, abort }) =>
    text.includes('bad') ? abort('say it better', { retry: true }) : messages,
} satisfies Processor;

const config = { id: 'agent', name: 'agent', instructions: 'Help.', model, maxProcessorRetries: 2 };
const agent = createDurableAgent({ agent: new Agent({ ...config, outputProcessors: [again] }) });
const { output } = await agent.stream('Hello.', { maxProcessorRetries: 2 });
console.log(`text: "${(await output.getFullOutput()).text}"`);
report('one attempt', { requests: requests.length === 1 ? 'one attempt' : 'several attempts' });
