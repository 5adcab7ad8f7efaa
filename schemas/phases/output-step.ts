import { z } from 'zod';
import { byReference } from '../by-reference.js';
import { exampleAnswer, exampleConversation } from '../example-messages.js';
import { lenientFields, messageListField, messagesField, recordField, sharedFields, stepNumberField } from '../fields.js';
import type { HostField } from '../host-types.js';
import { openObject } from '../open-object.js';

const toolCalls: HostField<'toolCalls'> = byReference(
  z.array(
    openObject({
      toolName: z.string().describe('The name of the tool.'),
      toolCallId: z.string().describe('The id of the call.'),
      args: z.unknown().optional().describe('The arguments of the call.'),
    }),
  ),
);

const providerMetadata: HostField<'providerMetadata'> = byReference(recordField);

/** The payload of `processOutputStep`: the answer of one step, before any of its tools runs. */
export const outputStepPhaseSchema = openObject({
  phase: z.literal('outputStep').describe('At each step, after the model call and before tools run.'),
  messages: messagesField,
  messageList: messageListField,
  stepNumber: stepNumberField,
  finishReason: z.string().optional().describe('Why the model stopped, e.g. stop, tool-calls or length.'),
  providerMetadata: providerMetadata.optional().describe('Metadata about the step, by provider.'),
  toolCalls: toolCalls.optional().describe('The tool calls that the model requests.'),
  text: z.string().optional().describe('The text of this step.'),
  usage: recordField.optional().describe('The tokens of this step: inputTokens, outputTokens, totalTokens.'),
  ...lenientFields,
  systemMessages: sharedFields.systemMessages,
}).meta({
  examples: [{ phase: 'outputStep', messages: exampleConversation, stepNumber: 0, finishReason: 'stop', text: exampleAnswer }],
});
