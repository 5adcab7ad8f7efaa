import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import type { Processor } from '@mastra/core/processors';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';

import { report, serveModel } from '../../../scripted-model.js';

const { url, requests } = await serveModel(['These are rejected-words.'], ['Fine.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted') as never;

const noBadWords = {
  id: 'no-bad-words',
  processOutputResult: ({ result, messages, abort }) => (result.text.includes('rejected') ? abort('bad words') : messages),
} satisfies Processor;

const memory = new Memory({ storage: new InMemoryStore() });
const config = { id: 'agent', name: 'agent', instructions: 'Help.', model, memory };
const agent = createDurableAgent({ agent: new Agent({ ...config, outputProcessors: [noBadWords] }) });
const options = { memory: { thread: 'thread', resource: 'user' } };
const { text: result } = await (await agent.stream('Hello.', options)).output.getFullOutput();
const { messages: history } = await memory.recall({ threadId: 'thread', resourceId: 'user' });
await (await agent.stream('And now?', options)).output.getFullOutput();
report('rejected-words', { result, history, 'next request': requests[1] });
