import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import type { Processor } from '@mastra/core/processors';

import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel(['Bad words.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted') as never;

const block = { id: 'block', processOutputResult: ({ abort }) => abort('bad words') } satisfies Processor;

const config = { id: 'agent', name: 'agent', instructions: 'Help.', model };
const agent = createDurableAgent({ agent: new Agent({ ...config, outputProcessors: [block] }) });
const { output } = await agent.stream('Hello.');
const types: string[] = [];
for await (const { type } of output.fullStream) types.push(type);
console.log(`chunks: ${types.join(', ')}`);
report('no tripwire', { stream: types.includes('tripwire') ? 'a tripwire' : 'no tripwire' });
