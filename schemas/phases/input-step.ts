import { z } from 'zod';
import { exampleQuestion } from '../example-messages.js';
import { codeOnly, held, lenientFields, messageListField, messagesField, sharedFields, stepNumberField } from '../fields.js';
import { openObject } from '../open-object.js';

/** The payload of `processInputStep`: messages and settings of one model call. */
export const inputStepPhaseSchema = openObject({
  phase: z.literal('inputStep').describe('At each step, before the model is called.'),
  messages: messagesField,
  messageList: messageListField,
  stepNumber: stepNumberField,
  ...sharedFields,
  state: lenientFields.state,
  model: held<'model'>('The model of this step: a model, a router id or a config.', {
    anyOf: [{ type: 'string' }, { type: 'object' }],
  }),
  tools: held<'tools'>('The tools available in this step, by name.', { type: 'object' }),
  toolChoice: held<'toolChoice'>('Whether the model may, must or must not call a tool, or which one.', {
    anyOf: [{ enum: ['auto', 'none', 'required'] }, { type: 'object' }],
  }),
  activeTools: z.array(z.string()).optional().describe('The names of the tools that may be used in this step.'),
  providerOptions: held<'providerOptions'>('Options for one provider, by provider.', { type: 'object' }),
  modelSettings: held<'modelSettings'>('Settings of the model, such as temperature.', { type: 'object' }),
  structuredOutput: held<'structuredOutput'>('The required shape of the response.', { type: 'object' }),
  rotateResponseMessageId: held<'rotateResponseMessageId'>(
    'Ends the current response and returns the id of the next one.',
    codeOnly,
  ),
}).meta({ examples: [{ phase: 'inputStep', messages: [exampleQuestion], stepNumber: 0, toolChoice: 'auto' }] });
