import { z } from 'zod';
import { held, messageListField, messagesField, sharedFields, stepNumberField } from '../fields.js';
import { openObject } from '../open-object.js';

/** What `processAPIError` is about: a model call that failed. */
export const apiErrorPhaseSchema = openObject({
  phase: z.literal('apiError').describe('When the call of the model failed.'),
  error: z.unknown().describe('What went wrong, as it was thrown.'),
  messages: messagesField,
  messageList: messageListField,
  stepNumber: stepNumberField,
  ...sharedFields,
  rotateResponseMessageId: held<'rotateResponseMessageId'>('Ends the current answer and gives the id of the next.'),
  decision: z.literal('retry').optional().describe('Set where a processor asked for the call to be made again.'),
});
