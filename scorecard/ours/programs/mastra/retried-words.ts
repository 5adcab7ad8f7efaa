import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';

import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel(['Some bad words.'], ['Good words.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted') as never;

const again = {
  id: 'again',
  processOutputStep: ({ text = '', messages, abort }) =>
    text.includes('bad') ? abort('say it better', { retry: true }) : messages,
} satisfies Processor;

const config = { id: 'agent', name: 'agent', instructions: 'Help.', model, maxProcessorRetries: 1 };
const agent = new Agent({ ...config, outputProcessors: [again] });
const stream = await agent.stream('Hello.');
let reader = '';
for await (const text of stream.textStream) reader += text; // no chunk takes the rejected attempt back
report('bad words', { reader });
