import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent, createTool } from '@voltagent/core';
import { z } from 'zod';

import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel({ call: 'look', text: 'up' }, ['Done.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted');
const look = createTool({
  name: 'look',
  description: 'Looks.',
  parameters: z.object({ text: z.string() }),
  execute: async () => 'data',
});
const onToolStart = async () => {
  throw new Error('the guard is out of order');
};

const agent = new Agent({ name: 'agent', instructions: 'Help.', model, tools: [look], hooks: { onToolStart } });
const { text, finishReason } = await agent.generateText('Hello.');
console.log(`text: ${text}`);
report('stop', { 'finish reason': finishReason });
