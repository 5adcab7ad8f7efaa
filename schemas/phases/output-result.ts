import { z } from 'zod';
import { exampleConversation } from '../example-messages.js';
import { lenientFields, listField, messageListField, messagesField, recordField } from '../fields.js';
import { openObject } from '../open-object.js';

/** The payload of `processOutputResult`: the finished answer of a run. */
export const outputResultPhaseSchema = openObject({
  phase: z.literal('outputResult').describe('Once, when the response is complete.'),
  messages: messagesField,
  messageList: messageListField,
  result: openObject({
    text: z.string().describe('The text of all steps.'),
    usage: recordField.describe('The tokens of all steps: inputTokens, outputTokens, totalTokens.'),
    finishReason: z.string().describe('Why the run ended, e.g. stop.'),
    steps: listField.describe('The list of steps.'),
  })
    .optional()
    .describe('The whole response.'),
  ...lenientFields,
}).meta({ examples: [{ phase: 'outputResult', messages: exampleConversation }] });
