import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';

import { report, serveModel } from '../../../scripted-model.js';

const { url, requests } = await serveModel(
  { call: 'agent-helper', args: { prompt: 'Go.' } },
  ['Blocked-words of the helper.'],
  ['Done.'],
);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted') as never;

const block = {
  id: 'block',
  processOutputStep: ({ text = '', messages, abort }) => (text.includes('Blocked') ? abort('bad words') : messages),
} satisfies Processor;

const common = { instructions: 'Help.', description: 'Helps.', model };
const helper = new Agent({ ...common, id: 'helper', name: 'helper', outputProcessors: [block] });
const supervisor = new Agent({ ...common, id: 'agent', name: 'agent', agents: { helper } });
await supervisor.generate('Hello.');
report('Blocked-words', { 'next request of the supervisor': requests[2] });
