import { z } from 'zod';
import { exampleToolCall, exampleToolTurn } from '../example-messages.js';
import { lenientFields, messageListField, messagesField, sharedFields, stepNumberField } from '../fields.js';
import { openObject } from '../open-object.js';

/** The payload of `processToolResult`: the value a tool returned, before the model sees it. */
export const toolResultPhaseSchema = openObject({
  phase: z.literal('toolResult').describe('After each tool, before its result goes to the model.'),
  messages: messagesField,
  messageList: messageListField,
  stepNumber: stepNumberField,
  toolName: z.string().describe('The tool that ran.'),
  toolCallId: z.string().describe('The id of the tool call.'),
  args: z.unknown().optional().describe('The arguments that the model passed to the tool.'),
  result: z.unknown().optional().describe('The value that the tool returned.'),
  toolResultValue: z.unknown().optional().describe('The same value, under the name that Mastra’s engine uses.'),
  isError: z.unknown().optional().describe('`true` if the tool failed; the result is then the text of the error.'),
  providerExecuted: z.boolean().optional().describe('Whether the provider ran the tool itself.'),
  ...lenientFields,
  systemMessages: sharedFields.systemMessages,
}).meta({ examples: [{ phase: 'toolResult', messages: exampleToolTurn, stepNumber: 0, ...exampleToolCall }] });
