import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent, createOutputGuardrail } from '@voltagent/core';

import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel(['Your number is 4111', '-1111, keep it.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted');

/** Judges each delta by itself; the host's own redactors keep text in `state`. */
const noNumber = createOutputGuardrail({
  name: 'no-number',
  handler: async () => ({ pass: true }),
  streamHandler: ({ part, abort }) =>
    part.type === 'text-delta' && (part.text ?? part.delta ?? '').includes('4111-1111') ? abort('a number') : part,
});

const agent = new Agent({ name: 'agent', instructions: 'Help.', model, outputGuardrails: [noNumber] });
const result = await agent.streamText('Hello.');
let reader = '';
for await (const text of result.textStream) reader += text;
report('4111-1111', { reader });
