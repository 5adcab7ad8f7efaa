import { z } from 'zod';
import { byReference, openObject } from './open-object.js';
import { codeOnly, held, lenientFields, recordField, sharedFields, type HostField, type HostTypes } from './fields.js';
import { messageSchema } from './message.js';

/** An array of anything, by reference: a stream's growing list of chunks is not walked again at every chunk. */
const listField = z.custom<unknown[]>(Array.isArray, 'expected an array').meta({ type: 'array' });

const messagesField = z.array(messageSchema).describe('The messages that this phase processes.');

const messageListField = held<'messageList'>('The live list of the messages; absent in JSON and in forms.', codeOnly);

const stepNumberField = z.number().describe('The step of the loop, from 0.');

const createdAt = '2026-01-01T12:00:00.000Z';

const message = (id: string, role: 'user' | 'assistant', part: object): object => ({
  id,
  role,
  createdAt,
  content: { format: 2, parts: [part] },
});

const textMessage = (id: string, role: 'user' | 'assistant', text: string): object => message(id, role, { type: 'text', text });

const question = 'My address is ann@example.org. When will my parcel 555 0100 arrive?';

const exampleAnswer = 'It arrives on Monday, Ann. We write to ann@example.org.';

/** The message of the user in the example payloads. */
const exampleQuestion = textMessage('question', 'user', question);

/** The same with the model's answer, as phases after the call see it. */
const exampleConversation = [exampleQuestion, textMessage('answer', 'assistant', exampleAnswer)];

/** The question as it goes to the provider. */
const examplePrompt = [
  { role: 'system', content: 'You help customers of a parcel service.' },
  { role: 'user', content: [{ type: 'text', text: question }] },
];

/** A tool that has returned what the question asks for. */
const exampleToolCall = {
  toolName: 'find-parcel',
  toolCallId: 'call',
  args: { parcel: '555 0100' },
  result: { arrives: 'Monday', recipient: 'ann@example.org' },
};

/** The question with the call of that tool. */
const exampleToolTurn = [
  exampleQuestion,
  message('call', 'assistant', { type: 'tool-invocation', toolInvocation: { state: 'result', ...exampleToolCall } }),
];

/** A prompt in the provider's format: roles and content checked, the parts of a message left to the provider. */
const promptField: HostField<'prompt'> = byReference<HostTypes['prompt']>(
  z.array(
    openObject({
      role: z.enum(['system', 'user', 'assistant', 'tool']).describe('The role of the author.'),
      content: z
        .union([z.string(), z.array(openObject({ type: z.string().describe('The type of part.') }))])
        .describe('Text for the system, a list of parts for all others.'),
    }),
  ),
).describe('The prompt as sent to the provider.');

/** The model of a call, ready to be called. */
const calledModelField: HostField<'calledModel'> = z
  .custom<HostTypes['calledModel']>((value) => typeof value === 'object' && value !== null, 'expected a model')
  .meta({ type: 'object' })
  .describe('The model of this call.');

/** The chunks of one call, without what ties them to a run, so that they can be kept and played again. */
const chunksField: HostField<'chunks'> = byReference<HostTypes['chunks']>(
  z.array(
    openObject({
      type: z.string().describe('The type of chunk, e.g. text-delta.'),
      payload: z.unknown().optional().describe('The data of the chunk.'),
    }),
  ),
).describe('The chunks of the response, in order.');

const warningsField: HostField<'warnings'> = byReference(
  z.array(openObject({ type: z.string().describe('The kind of warning.') })),
);

/** The provider's report about a call, in addition to its chunks. */
const callReport = {
  warnings: warningsField.optional().describe('Warnings from the provider, such as an unsupported setting.'),
  request: z.unknown().optional().describe('The body that was sent to the provider.'),
  rawResponse: z.unknown().optional().describe('The raw response of the provider.'),
};

/** The payload of `processInput`: the messages of a run before its first step. */
export const inputPhaseSchema = openObject({
  phase: z.literal('input').describe('Once, before the loop starts.'),
  messages: messagesField,
  messageList: messageListField,
  ...lenientFields,
  systemMessages: sharedFields.systemMessages,
}).meta({ examples: [{ phase: 'input', messages: [exampleQuestion] }] });

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

/** The payload of `processOutputStream`: one chunk of the answer while it is being made. */
export const outputStreamPhaseSchema = openObject({
  phase: z.literal('outputStream').describe('At each chunk of the response.'),
  part: z.unknown().nullable().optional().describe('The chunk; null or absent if a processor dropped it.'),
  streamParts: listField.describe('The chunks so far.'),
  messageList: messageListField,
  ...lenientFields,
  state: recordField.describe('State that a processor keeps from chunk to chunk.'),
}).meta({
  examples: [
    {
      phase: 'outputStream',
      part: { type: 'text-delta', payload: { id: 'text', text: exampleAnswer } },
      streamParts: [],
      state: {},
    },
  ],
});

/** The payload of `processLLMResponse`: the complete answer of one call, live or cached. */
export const llmResponsePhaseSchema = openObject({
  phase: z.literal('llmResponse').describe('After each model call, when all chunks have arrived.'),
  chunks: chunksField,
  model: calledModelField,
  stepNumber: stepNumberField,
  ...sharedFields,
  ...callReport,
  fromCache: z.boolean().describe('Whether the response came from a cache, without a model call.'),
}).meta({
  examples: [
    {
      phase: 'llmResponse',
      chunks: [{ type: 'text-delta', payload: { id: 'text', text: exampleAnswer } }],
      model: { modelId: 'example' },
      stepNumber: 0,
      fromCache: false,
    },
  ],
});

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
