import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import { createTool } from '@mastra/core/tools';
import type { Processor } from '@mastra/core/processors';
import { expect, it } from 'vitest';
import { z } from 'zod';

import { guardedToolLoop } from '../../src/ai-sdk/index.js';
import { guard, InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { modes } from './support.js';

const spoiled = 'SPOILED';
const called: string[] = [];

/** Replaces every text in a value, in place. */
const spoil = (value: unknown, seen = new Set<unknown>()): void => {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  for (const [name, inner] of Object.entries(value))
    if (typeof inner === 'string') Reflect.set(value, name, spoiled);
    else spoil(inner, seen);
};

/** The fields that refer to the run and its parts: changing those is no edit of a payload. */
const handles = new Set([
  'agent',
  'model',
  'mastra',
  'tracing',
  'tracingContext',
  'abortSignal',
  'writer',
  'state',
  'requestContext',
]);

const hooks: readonly (keyof Processor)[] = [
  'processInput',
  'processInputStep',
  'processLLMRequest',
  'processLLMResponse',
  'processOutputStream',
  'processOutputStep',
  'processToolResult',
  'processOutputResult',
];

/** A guard that changes all that it gets, in place. */
const spoiler = Object.fromEntries(
  hooks.map((hook) => [
    hook,
    (args: { messageList?: { add(text: string, role: 'user'): void } }) => {
      called.push(hook);
      args.messageList?.add(spoiled, 'user');
      for (const [name, value] of Object.entries(args)) if (!handles.has(name)) spoil(value);
    },
  ]),
);
const shadow = guard({ id: 'spoiler', ...spoiler } as unknown as Processor, { shadow: true });

/** Ends the run only once the shadow guard has judged both steps. */
const waits: Processor = {
  id: 'waits',
  processOutputResult: async ({ messages }) => {
    await expect.poll(() => called.filter((hook) => hook === 'processOutputStep')).toHaveLength(2);
    return messages;
  },
};

const script = () =>
  scriptedModel({
    steps: [{ text: 'I look. ', toolCalls: [{ name: 'look', args: { q: 'it' } }] }, { text: 'It is here.' }],
  });
const look = createTool({
  id: 'look',
  description: 'Looks.',
  inputSchema: z.object({ q: z.string() }),
  execute: async () => ({ note: 'found' }),
});
const ids = /^(id|runId|messageId|createdAt|startedAt|completedAt)$/;
const asJson = (value: unknown): string => JSON.stringify(value, (name, inner: unknown) => (ids.test(name) ? undefined : inner));

it.each(modes)('a shadow guard that changes everything in place has no effect on %s', async (mode) => {
  const run = async (guards: object) => {
    const model = script();
    const memory = new Memory({ storage: new LibSQLStore({ id: 'shadow', url: ':memory:' }) });
    const agent = new InterlockAgent({ id: 'a', name: 'A', instructions: 'Answer.', model, tools: { look }, memory, ...guards });
    const options = { memory: { thread: 't', resource: 'r' } };
    const answer = await (mode === 'generate'
      ? agent.generate('Where is it?', options)
      : (await agent.stream('Where is it?', options)).getFullOutput());
    const { messages } = await memory.recall({ threadId: 't', resourceId: 'r' });
    const steps = answer.steps.map(({ text, toolResults }) => [text, toolResults]);
    return asJson({ text: answer.text, steps, prompts: model.calls.map(({ prompt }) => prompt), messages });
  };
  called.splice(0);
  const without = await run({});
  expect(await run({ inputProcessors: [shadow], outputProcessors: [shadow, waits] })).toBe(without);
  await expect.poll(() => new Set(called).size).toBe(hooks.length);
});

it.each(modes)('nor on %s of the AI SDK', async (mode) => {
  const run = async (guards: readonly Processor[]) => {
    const model = script();
    const tools = {
      look: { description: 'Looks.', inputSchema: z.object({ q: z.string() }), execute: async () => ({ note: 'found' }) },
    };
    const agent = guardedToolLoop({ model, instructions: 'Answer.', tools, guards });
    const answer = await agent[mode]({ prompt: 'Where is it?' });
    const steps = (await answer.steps).map(({ text, toolResults }) => [text, toolResults]);
    return asJson({ text: await answer.text, steps, prompts: model.calls.map(({ prompt }) => prompt) });
  };
  called.splice(0);
  const without = await run([]);
  expect(await run([shadow, waits])).toBe(without);
  await expect.poll(() => new Set(called).size).toBe(hooks.length);
});
