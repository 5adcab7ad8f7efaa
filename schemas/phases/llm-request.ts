import { z } from 'zod';
import { examplePrompt } from '../example-messages.js';
import { messageListField, sharedFields, stepNumberField } from '../fields.js';
import { calledModelField, callReport, chunksField, promptField } from '../model-call.js';
import { openObject } from '../open-object.js';

/** The payload of `processLLMRequest`: the prompt of one call, or the cached answer that replaces the call. */
export const llmRequestPhaseSchema = openObject({
  phase: z.literal('llmRequest').describe('Before each model call, when the prompt is final.'),
  prompt: promptField,
  model: calledModelField,
  messageList: messageListField,
  stepNumber: stepNumberField,
  ...sharedFields,
  response: openObject({ chunks: chunksField, ...callReport })
    .optional()
    .describe('A cached response that replaces the model call.'),
}).meta({ examples: [{ phase: 'llmRequest', prompt: examplePrompt, model: { modelId: 'example' }, stepNumber: 0 }] });
