import { Agent, OpenAIChatCompletionsModel, Runner } from '@openai/agents';
import OpenAI from 'openai';

import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel(['Your number is 4111-1111, keep it.']);
const client = new OpenAI({ baseURL: url, apiKey: 'none' });

const noNumber = {
  name: 'no-number',
  execute: async ({ agentOutput }: { agentOutput: unknown }) => ({
    tripwireTriggered: String(agentOutput).includes('4111-1111'),
    outputInfo: undefined,
  }),
};

const agent = new Agent({
  name: 'agent',
  instructions: 'Help.',
  model: new OpenAIChatCompletionsModel(client, 'scripted'),
  outputGuardrails: [noNumber],
});
const result = await new Runner({ tracingDisabled: true }).run(agent, 'Hello.', { stream: true });
let reader = '';
try {
  for await (const text of result.toTextStream()) reader += text;
  await result.completed;
} catch (error) {
  console.log(`error: ${error.name}`);
}
report('4111-1111', { reader });
