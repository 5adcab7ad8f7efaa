import { MockMemory } from '@mastra/core/memory';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { z } from 'zod';

import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { callThen, echoAs } from './support.js';

/** The tools of a call: a log of effects, and a function that cancels the run. */
interface Kit {
  readonly log: string[];
  readonly controller: AbortController;
}

/** The settings of an agent besides its name, instructions and model. */
type Config = Readonly<Record<string, unknown>> & { readonly memory?: MockMemory };

/** An unusual call of an agent, as written for Mastra. */
export interface OddCall {
  readonly steps?: ScriptedStep<'v2'>[];
  readonly config?: (kit: Kit) => Config;
  readonly options?: (kit: Kit) => object;
  readonly prompt?: unknown;
}

const target = { thread: 'thread-1', resource: 'person-1' };
const withEcho = ({ log }: Kit) => ({ tools: { echo: echoAs('echo', () => void log.push('echo')) } });
const echoThen = (text = 'Done.') => callThen('echo', { say: 'a' }, text);
const [echoes = {}] = echoThen();
const withMemory = () => ({ memory: new MockMemory({ enableMessageHistory: true }) });
const inMemory = () => ({ memory: target });
const number = z.object({ a: z.number() });
const toolOf = (execute: () => unknown) =>
  createTool({ id: 'odd', description: 'An odd one.', inputSchema: z.object({}), execute: async () => execute() });
const withOdd = (execute: () => unknown) => () => ({ tools: { odd: toolOf(execute) } });
const partsOf = (...parts: object[]): ScriptedStep<'v2'> => ({
  parts: [{ type: 'stream-start', warnings: [] }, ...parts, finishing('stop')] as NonNullable<ScriptedStep<'v2'>['parts']>,
});
const finishing = (finishReason: string) => ({
  type: 'finish',
  finishReason,
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
});
const doubling = createWorkflow({ id: 'w', description: 'Doubles.', inputSchema: number, outputSchema: number })
  .then(
    createStep({ id: 's', inputSchema: number, outputSchema: number, execute: async ({ inputData: { a } }) => ({ a: a * 2 }) }),
  )
  .commit();

/** Calls with the same outcome as with Mastra's agent. */
export const alike: Readonly<Record<string, OddCall>> = {
  'a memory option without memory': { options: inMemory },
  'memory, structured output and stopWhen': {
    steps: echoThen('{"a":1}'),
    config: (kit) => ({ ...withMemory(), ...withEcho(kit) }),
    options: () => ({
      ...inMemory(),
      structuredOutput: { schema: number },
      stopWhen: ({ steps }: { steps: [] }) => steps.length >= 2,
    }),
  },
  'stopWhen that holds after the first step': { steps: echoThen(), config: withEcho, options: () => ({ stopWhen: () => true }) },
  'an empty stopWhen': { steps: echoThen(), config: withEcho, options: () => ({ stopWhen: [], maxSteps: 4 }) },
  'stopWhen of the defaults, maxSteps of the call': {
    steps: [echoes, ...echoThen()],
    config: (kit) => ({ ...withEcho(kit), defaultOptions: { stopWhen: ({ steps }: { steps: [] }) => steps.length >= 2 } }),
    options: () => ({ maxSteps: 9 }),
  },
  'maxSteps in the middle of tool calls': {
    steps: [echoes, echoes, ...echoThen()],
    config: withEcho,
    options: () => ({ maxSteps: 2 }),
  },
  'no limit, and more calls than the default maxSteps': {
    steps: [...Array.from({ length: 8 }, () => echoes), { text: 'Done.' }],
    config: withEcho,
  },
  'text in two steps': { steps: [{ ...echoes, text: 'One. ' }, { text: 'Two.' }], config: withEcho },
  'a tool that throws': {
    steps: callThen('odd'),
    config: withOdd(() => {
      throw new Error('Out of order.');
    }),
  },
  'invalid arguments': { steps: callThen('echo', { say: 3 }), config: withEcho },
  'a tool result that is not JSON': {
    steps: callThen('odd'),
    config: withOdd(() => ({ at: new Date(0), of: new Map([[1, 2]]) })),
  },
  'a tool under another name than its id': {
    steps: callThen('key'),
    config: ({ log }) => ({ tools: { key: toolOf(() => log.push('ran')) } }),
  },
  'three calls in sequence': {
    steps: [{ toolCalls: ['1', '2', '3'].map((prompt) => ({ name: 'echo', args: { say: prompt } })) }, { text: 'Done.' }],
    config: withEcho,
    options: () => ({ toolCallConcurrency: 1 }),
  },
  'toolChoice required': { steps: echoThen(), config: withEcho, options: () => ({ toolChoice: 'required' }) },
  'toolChoice of one tool': {
    steps: echoThen(),
    config: withEcho,
    options: () => ({ toolChoice: { type: 'tool', toolName: 'echo' } }),
  },
  'a client tool next to a server tool': {
    steps: [
      {
        toolCalls: [
          { name: 'echo', args: { say: 'a' } },
          { name: 'show', args: {} },
        ],
      },
      { text: 'Done.' },
    ],
    config: withEcho,
    options: () => ({ clientTools: { show: { id: 'show', description: 'Shows.', inputSchema: z.object({}) } } }),
  },
  'a toolset with a tool that has the name of an agent tool': {
    steps: echoThen(),
    config: withEcho,
    options: ({ log }) => ({ toolsets: { own: { echo: echoAs('echo', () => void log.push('another')) } } }),
  },
  'a hook that replaces a tool': {
    steps: echoThen(),
    config: (kit) => ({ ...withEcho(kit), hooks: { beforeToolCall: () => ({ proceed: false, output: 'no' }) } }),
  },
  'a workflow as a tool': {
    steps: callThen('workflow-w', { inputData: { a: 1 } }),
    config: () => ({ workflows: { w: doubling } }),
  },
  'a provider-executed tool': {
    steps: [
      partsOf(
        { type: 'tool-call', toolCallId: 'c', toolName: 'web', input: '{}', providerExecuted: true },
        { type: 'tool-result', toolCallId: 'c', toolName: 'web', result: { hits: 1 }, providerExecuted: true },
        { type: 'text-start', id: '0' },
        { type: 'text-delta', id: '0', delta: 'Found.' },
        { type: 'text-end', id: '0' },
      ),
    ],
  },
  'files and sources in an answer': {
    steps: [
      partsOf(
        { type: 'source', sourceType: 'url', id: 's', url: 'https://example.test', title: 'X' },
        { type: 'file', mediaType: 'image/png', data: 'AAAA' },
      ),
    ],
  },
  'instructions, system and context together': {
    options: () => ({
      instructions: ['One', 'Two'],
      system: ['Three', { role: 'system', content: 'Four' }],
      context: [{ role: 'user', content: 'Before.' }],
    }),
  },
  'messages of every role, and an image': {
    prompt: [
      { role: 'system', content: 'S' },
      { role: 'user', content: 'A' },
      { role: 'assistant', content: 'B' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'C' },
          { type: 'image', image: 'data:image/png;base64,AAAA' },
        ],
      },
    ],
  },
  texts: { prompt: ['a', 'b'] },
  'a message of the AI SDK’s UI': { prompt: [{ id: '1', role: 'user', content: 'Hi', parts: [{ type: 'text', text: 'Hi' }] }] },
  'settings of the defaults under those of the call': {
    config: () => ({
      defaultOptions: { modelSettings: { temperature: 0.1, topP: 0.5 }, providerOptions: { a: { x: 1, z: 3 } } },
    }),
    options: () => ({ modelSettings: { temperature: 0.9, seed: 3 }, providerOptions: { a: { x: 2 }, b: { y: 1 } } }),
  },
  'prepareStep that adds a message': {
    options: () => ({
      prepareStep: ({ messages }: { messages: [] }) => ({ messages: [...messages, { role: 'user', content: 'More' }] }),
    }),
  },
  'read-only memory': { config: withMemory, options: () => ({ memory: { ...target, options: { readOnly: true } } }) },
  'an assistant message in the input of a thread': {
    config: withMemory,
    options: inMemory,
    prompt: [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
      { role: 'user', content: 'three' },
    ],
  },
  'structured output with a fallback': {
    steps: [{ text: 'no JSON' }],
    options: () => ({ structuredOutput: { schema: number, errorStrategy: 'fallback', fallbackValue: { a: 9 } } }),
  },
  'structured output with warnings': {
    steps: [{ text: 'no JSON' }],
    options: () => ({ structuredOutput: { schema: number, errorStrategy: 'warn' } }),
  },
  'structured output as a list': {
    steps: [{ text: '{"elements":[{"a":1},{"a":2}]}' }],
    options: () => ({ structuredOutput: { schema: z.array(number) } }),
  },
  'a fallback array of models': {
    config: () => ({
      model: [
        { model: scriptedModel({ steps: () => ({ error: new Error('down') }) }), maxRetries: 0 },
        { model: scriptedModel({ steps: () => ({ text: 'The second.' }) }) },
      ],
    }),
  },
  'data that a tool writes': {
    steps: callThen('odd'),
    config: () => ({
      tools: {
        odd: createTool({
          id: 'odd',
          description: 'Writes.',
          inputSchema: z.object({}),
          execute: async (_input, { writer }) => (await writer?.custom({ type: 'data-x', data: 1 }), 1),
        }),
      },
    }),
  },
  'data that a guard writes': {
    config: () => ({
      outputProcessors: [
        {
          id: 'teller',
          processOutputStep: async ({ messages, writer }: { messages: []; writer?: { custom(data: object): Promise<void> } }) => {
            await writer?.custom({ type: 'data-x', data: 1 });
            return messages;
          },
        },
      ],
    }),
  },
  'a truncated answer': { steps: [{ text: 'Too lo', finishReason: 'length' }] },
  'an answer without text': { steps: [{ text: '' }] },
};

/** Calls with another outcome, each with the sentence of the guide that documents it. */
export const otherwise: readonly (OddCall & { readonly name: string; readonly why: string })[] = [
  { name: 'an empty text', why: 'is rejected: `agent/no-input`', prompt: '' },
  { name: 'no messages', why: 'is rejected: `agent/no-input`', prompt: [] },
  {
    name: 'the former thread ids',
    why: 'select the conversation in memory, as before Mastra 1.0',
    config: withMemory,
    options: () => ({ threadId: 'thread-1', resourceId: 'person-1' }),
  },
  {
    name: 'a run that is canceled in a tool',
    why: '`finishReason` `other`, `status` `canceled`, no unfinished content',
    steps: callThen('odd'),
    config: ({ controller }) => ({ tools: { odd: toolOf(() => controller.abort()) } }),
    options: ({ controller }) => ({ abortSignal: controller.signal }),
  },
  {
    name: 'a tool that returns nothing',
    why: 'counts as answered, and the model continues',
    steps: callThen('odd'),
    config: withOdd(() => undefined),
  },
  {
    name: 'a tool call despite toolChoice none',
    why: 'does not run; the model gets a message about it',
    steps: echoThen(),
    config: withEcho,
    options: () => ({ toolChoice: 'none' }),
  },
  {
    name: 'the finish reason tool-calls without calls',
    why: 'is the last step, regardless of the finish reason',
    steps: [{ text: 'One.', finishReason: 'tool-calls' }, { text: 'Two.' }],
  },
  {
    name: 'a run that waits for approval',
    why: 'the result includes the step that waits, and the stream ends with `finish`',
    steps: echoThen(),
    config: withEcho,
    options: () => ({ requireToolApproval: true }),
  },
  {
    name: 'a rejected attempt',
    why: "`reason` `retry` and the model's `finishReason`",
    steps: [{ text: 'Bad.' }, { text: 'Good.' }],
    config: () => ({
      maxProcessorRetries: 1,
      outputProcessors: [
        {
          id: 'picky',
          processOutputStep: ({
            text,
            messages,
            abort,
          }: {
            text: string;
            messages: [];
            abort: (why: string, options: object) => never;
          }) => (text === 'Bad.' ? abort('Again.', { retry: true }) : messages),
        },
      ],
    }),
  },
  {
    name: 'an answer that a guard removes',
    why: '`text` is empty',
    config: () => ({ outputProcessors: [{ id: 'empties', processOutputResult: () => [] }] }),
  },
];
