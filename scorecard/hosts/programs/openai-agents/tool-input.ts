import { Agent, OpenAIChatCompletionsModel, Runner, tool } from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';

import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel({ call: 'save', text: '4111-1111' }, ['Saved.']);
const model = new OpenAIChatCompletionsModel(new OpenAI({ baseURL: url, apiKey: 'none' }), 'scripted');

const noNumber = {
  name: 'no-number',
  run: async ({ toolCall }: { toolCall: { arguments: string } }) => ({
    behavior: { type: toolCall.arguments.includes('4111-1111') ? ('throwException' as const) : ('allow' as const) },
  }),
};
const save = tool({
  name: 'save',
  description: 'Saves.',
  parameters: z.object({ text: z.string() }),
  execute: async () => 'ok',
  inputGuardrails: [noNumber],
});

const agent = new Agent({ name: 'agent', instructions: 'Help.', model, tools: [save] });
const result = await new Runner({ tracingDisabled: true }).run(agent, 'Hello.', { stream: true });
const reader: unknown[] = [];
try {
  for await (const event of result) if (event.type === 'raw_model_stream_event') reader.push(event.data);
  await result.completed;
} catch (error) {
  console.log(`error: ${error.name}`);
}
report('4111-1111', { reader });
