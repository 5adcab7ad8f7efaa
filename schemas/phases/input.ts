import { z } from 'zod';
import { exampleQuestion } from '../example-messages.js';
import { lenientFields, messageListField, messagesField, sharedFields } from '../fields.js';
import { openObject } from '../open-object.js';

/** The payload of `processInput`: the messages of a run before its first step. */
export const inputPhaseSchema = openObject({
  phase: z.literal('input').describe('Once, before the loop starts.'),
  messages: messagesField,
  messageList: messageListField,
  ...lenientFields,
  systemMessages: sharedFields.systemMessages,
}).meta({ examples: [{ phase: 'input', messages: [exampleQuestion] }] });
