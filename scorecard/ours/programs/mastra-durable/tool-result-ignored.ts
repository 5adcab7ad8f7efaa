import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

import { report, serveModel } from '../../../scripted-model.js';

const { url, requests } = await serveModel({ call: 'look', text: 'up' }, ['Done.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted') as never;
const look = createTool({
  id: 'look',
  description: 'Looks.',
  inputSchema: z.object({ text: z.string() }),
  execute: async () => 'raw data',
});

let calls = 0;
const block = {
  id: 'block',
  processToolResult: async ({ abort }) => {
    calls += 1;
    return abort('no tool result is allowed');
  },
} satisfies Processor;

const config = { id: 'agent', name: 'agent', instructions: 'Help.', model, tools: { look } };
const agent = createDurableAgent({ agent: new Agent({ ...config, outputProcessors: [block] }) });
await (await agent.stream('Hello.')).output.getFullOutput();
console.log(`the guard was called ${calls} times`);
report('raw data', { 'second request': requests[1] });
