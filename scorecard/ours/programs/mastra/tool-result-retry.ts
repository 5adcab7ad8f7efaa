import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

import { report, serveModel } from '../../../scripted-model.js';

const { url, requests } = await serveModel({ call: 'look', text: 'bad' }, { call: 'look', text: 'good' }, ['Good words.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted') as never;
const look = createTool({
  id: 'look',
  description: 'Looks.',
  inputSchema: z.object({ text: z.string() }),
  execute: async ({ text }) => `${text} data`,
});

/** Documented: "Call abort('reason', { retry: true }) to abort and retry the same step." */
const again = {
  id: 'again',
  processToolResult: async ({ result, messageList, abort }) =>
    result === 'bad data' ? abort('look again', { retry: true }) : messageList,
} satisfies Processor;

const config = { id: 'agent', name: 'agent', instructions: 'Help.', model, tools: { look }, maxProcessorRetries: 2 };
const result = await new Agent({ ...config, outputProcessors: [again] }).generate('Hello.');
console.log(`text: "${result.text}"`);
report('one attempt', { requests: requests.length === 1 ? 'one attempt' : 'several attempts' });
