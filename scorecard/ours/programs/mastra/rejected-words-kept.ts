import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { InMemoryStore } from '@mastra/core/storage';
import { Memory } from '@mastra/memory';

import { report, serveModel } from '../../../scripted-model.js';

const { url, requests } = await serveModel(['These are rejected-words.'], ['Fine.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted') as never;

const noBadWords = {
  id: 'no-bad-words',
  processOutputStep: ({ text = '', messages, abort }) => (text.includes('rejected') ? abort('bad words') : messages),
} satisfies Processor;

const memory = new Memory({ storage: new InMemoryStore() });
const config = { id: 'agent', name: 'agent', instructions: 'Help.', model, memory };
const agent = new Agent({ ...config, outputProcessors: [noBadWords] });
const options = { memory: { thread: 'thread', resource: 'user' } };
const { text: result } = await agent.generate('Hello.', options);
const { messages: history } = await memory.recall({ threadId: 'thread', resourceId: 'user' });
await agent.generate('And now?', options);
report('rejected-words', { result, history, 'next request': requests[1] });
