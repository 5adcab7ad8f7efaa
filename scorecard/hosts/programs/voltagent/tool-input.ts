import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent, createTool, ToolDeniedError } from '@voltagent/core';
import { z } from 'zod';

import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel({ call: 'save', text: '4111-1111' }, ['Saved.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted');
const save = createTool({
  name: 'save',
  description: 'Saves.',
  parameters: z.object({ text: z.string() }),
  execute: async () => 'ok',
});
const onToolStart = async ({ args }: { args: unknown }) => {
  if (JSON.stringify(args).includes('4111-1111'))
    throw new ToolDeniedError({ toolName: 'save', message: 'a number', code: 'TOOL_FORBIDDEN', httpStatus: 403 });
};

const agent = new Agent({ name: 'agent', instructions: 'Help.', model, tools: [save], hooks: { onToolStart } });
const result = await agent.streamText('Hello.');
const reader: unknown[] = [];
try {
  for await (const part of result.fullStream) if (part.type.startsWith('tool-')) reader.push(part);
} catch (error) {
  console.log(`error: ${error.message}`);
}
report('4111-1111', { reader });
