import { z } from 'zod';
import { sharedFields, stepNumberField } from '../fields.js';
import { calledModelField, callReport, chunksField } from '../model-call.js';
import { openObject } from '../open-object.js';

/** What `processLLMResponse` is about: the complete answer of one call, live or cached. */
export const llmResponsePhaseSchema = openObject({
  phase: z.literal('llmResponse').describe('After each call, when all its chunks are there.'),
  chunks: chunksField,
  model: calledModelField,
  stepNumber: stepNumberField,
  ...sharedFields,
  ...callReport,
  fromCache: z.boolean().describe('Whether the answer came from a cache and the model was not called.'),
});
