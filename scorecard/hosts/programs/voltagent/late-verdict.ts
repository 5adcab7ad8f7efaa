import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent, createOutputGuardrail } from '@voltagent/core';

import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel(['Your number is 4111-1111, keep it.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted');

const noNumber = createOutputGuardrail({
  name: 'no-number',
  handler: async ({ outputText = '' }) =>
    outputText.includes('4111-1111') ? { pass: false, action: 'block', message: 'a number' } : { pass: true },
});

const agent = new Agent({ name: 'agent', instructions: 'Help.', model, outputGuardrails: [noNumber] });
const result = await agent.streamText('Hello.');
let reader = '';
try {
  for await (const text of result.textStream) reader += text;
} catch (error) {
  console.log(`error: ${error.message}`);
}
report('4111-1111', { reader });
