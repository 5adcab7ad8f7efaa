import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import type { Processor } from '@mastra/core/processors';

import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel(['Your number is 4111-1111, keep it.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted') as never;

const redact = {
  id: 'redact',
  processOutputStep: ({ messages }) => JSON.parse(JSON.stringify(messages).replaceAll('4111-1111', '[number]')),
} satisfies Processor;

const config = { id: 'agent', name: 'agent', instructions: 'Help.', model };
const agent = createDurableAgent({ agent: new Agent({ ...config, outputProcessors: [redact] }) });
const { text: answer } = await (await agent.stream('Hello.')).output.getFullOutput();
report('4111-1111', { answer });
