import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';

import { report, serveModel } from '../../../scripted-model.js';

const { url, requests } = await serveModel(['Some bad words.'], ['Good words.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted') as never;

/** Documented for `abort`: "Pass retry: true to request another LLM attempt instead of ending." */
const again = {
  id: 'again',
  processOutputStream: async ({ part, abort }) =>
    part.type === 'text-delta' && part.payload.text.includes('bad') ? abort('say it better', { retry: true }) : part,
} satisfies Processor;

const config = { id: 'agent', name: 'agent', instructions: 'Help.', model, maxProcessorRetries: 2 };
const result = await new Agent({ ...config, outputProcessors: [again] }).generate('Hello.');
console.log(`text: "${result.text}"`);
report('one attempt', { requests: requests.length === 1 ? 'one attempt' : 'several attempts' });
