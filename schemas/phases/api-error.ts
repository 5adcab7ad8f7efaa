import { z } from 'zod';
import { exampleQuestion } from '../example-messages.js';
import { codeOnly, held, messageListField, messagesField, sharedFields, stepNumberField } from '../fields.js';
import { openObject } from '../open-object.js';

/** The payload of `processAPIError`: a model call that failed. */
export const apiErrorPhaseSchema = openObject({
  phase: z.literal('apiError').describe('After a failed model call.'),
  error: z.unknown().describe('The error that was thrown.'),
  messages: messagesField,
  messageList: messageListField,
  stepNumber: stepNumberField,
  ...sharedFields,
  rotateResponseMessageId: held<'rotateResponseMessageId'>(
    'Ends the current response and returns the id of the next one.',
    codeOnly,
  ),
  decision: z.literal('retry').optional().describe('Set if a processor requested a retry of the call.'),
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
