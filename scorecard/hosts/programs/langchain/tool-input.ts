import { AIMessageChunk, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, createMiddleware } from 'langchain';
import { z } from 'zod';

import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel({ call: 'save', text: '4111-1111' }, ['Saved.']);
const model = new ChatOpenAI({ model: 'scripted', apiKey: 'none', configuration: { baseURL: url } });
const save = tool(async () => 'ok', { name: 'save', description: 'Saves.', schema: z.object({ text: z.string() }) });

const noNumber = createMiddleware({
  name: 'no-number',
  wrapToolCall: async (request, handler) =>
    JSON.stringify(request.toolCall.args).includes('4111-1111')
      ? new ToolMessage({ content: 'Blocked.', tool_call_id: request.toolCall.id ?? '' })
      : handler(request),
});

const agent = createAgent({ model, tools: [save], middleware: [noNumber] });
const reader: unknown[] = [];
for await (const [message] of await agent.stream({ messages: [{ role: 'user', content: 'Hello.' }] }, { streamMode: 'messages' }))
  if (message instanceof AIMessageChunk) reader.push(message.tool_call_chunks);
report('4111-1111', { reader });
