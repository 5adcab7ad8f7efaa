import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent, createOutputGuardrail, InMemoryStorageAdapter, Memory } from '@voltagent/core';

import { report, serveModel } from '../../../scripted-model.js';

const { url, requests } = await serveModel(['These are rejected-words.'], ['Fine.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted');

const noBadWords = createOutputGuardrail({
  name: 'no-bad-words',
  handler: async ({ outputText = '' }) =>
    outputText.includes('rejected') ? { pass: false, action: 'block', message: 'bad words' } : { pass: true },
});

const memory = new Memory({ storage: new InMemoryStorageAdapter() });
const agent = new Agent({ name: 'agent', instructions: 'Help.', model, memory, outputGuardrails: [noBadWords] });
const options = { userId: 'user', conversationId: 'thread' };
await agent.generateText('Hello.', options).catch((error) => console.log(`error: ${error.message}`));
await new Promise((resolve) => setTimeout(resolve, 300)); // messages are saved in the background
const history = await memory.getMessages('user', 'thread');
await agent.generateText('And now?', options);
report('rejected-words', { history, 'next request': requests[1] });
