import { AIMessage, AIMessageChunk } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, createMiddleware } from 'langchain';

import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel(['Your number is 4111-1111, keep it.']);
const model = new ChatOpenAI({ model: 'scripted', apiKey: 'none', configuration: { baseURL: url } });

const noNumber = createMiddleware({
  name: 'no-number',
  afterModel: {
    canJumpTo: ['end'],
    hook: async ({ messages }) => {
      const last = messages.at(-1);
      if (!String(last?.content).includes('4111-1111')) return undefined;
      return { messages: [new AIMessage({ id: last?.id, content: 'Blocked.' })], jumpTo: 'end' };
    },
  },
});

const agent = createAgent({ model, tools: [], middleware: [noNumber] });
let reader = '';
for await (const [message] of await agent.stream({ messages: [{ role: 'user', content: 'Hello.' }] }, { streamMode: 'messages' }))
  if (message instanceof AIMessageChunk) reader += String(message.content);
report('4111-1111', { reader });
