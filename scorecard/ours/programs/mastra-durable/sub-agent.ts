import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
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
const supervisor = createDurableAgent({ agent: new Agent({ ...common, id: 'agent', name: 'agent', agents: { helper } }) });
await (await supervisor.stream('Hello.')).output.getFullOutput();
report('Blocked-words', { 'next request of the supervisor': requests[2] });
