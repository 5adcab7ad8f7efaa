import { z } from 'zod';
import { exampleQuestion } from '../example-messages.js';
import { codeOnly, held, messageListField, messagesField, sharedFields, stepNumberField } from '../fields.js';
import { openObject } from '../open-object.js';

/** What `processAPIError` is about: a model call that failed. */
export const apiErrorPhaseSchema = openObject({
  phase: z.literal('apiError').describe('When the call of the model failed.'),
  error: z.unknown().describe('What went wrong, as it was thrown.'),
  messages: messagesField,
  messageList: messageListField,
  stepNumber: stepNumberField,
  ...sharedFields,
  rotateResponseMessageId: held<'rotateResponseMessageId'>('Ends the current answer and gives the id of the next.', codeOnly),
  decision: z.literal('retry').optional().describe('Set where a processor asked for the call to be made again.'),
}).meta({
  examples: [
    {
      phase: 'apiError',
      error: { name: 'APICallError', message: 'Too many requests', statusCode: 429 },
      messages: [exampleQuestion],
      stepNumber: 0,
    },
  ],
});
