import { z } from 'zod';
import { exampleAnswer } from '../example-messages.js';
import { sharedFields, stepNumberField } from '../fields.js';
import { calledModelField, callReport, chunksField } from '../model-call.js';
import { openObject } from '../open-object.js';

/** The payload of `processLLMResponse`: the complete answer of one call, live or cached. */
export const llmResponsePhaseSchema = openObject({
  phase: z.literal('llmResponse').describe('After each model call, when all chunks have arrived.'),
  chunks: chunksField,
  model: calledModelField,
  stepNumber: stepNumberField,
  ...sharedFields,
  ...callReport,
  fromCache: z.boolean().describe('Whether the response came from a cache, without a model call.'),
}).meta({
  examples: [
    {
      phase: 'llmResponse',
      chunks: [{ type: 'text-delta', payload: { id: 'text', text: exampleAnswer } }],
      model: { modelId: 'example' },
      stepNumber: 0,
      fromCache: false,
    },
  ],
});
