import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import type { ToolHooks } from '@mastra/core/tools';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createGuardedRun, guardedToolLoop, guardTools, toStreamTransform } from '../../src/ai-sdk/index.js';
import { guardsFor, InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { guardOn } from './support.js';

/** Longer than any of these tools or hooks takes. */
const untilQuiet = () => sleep(30);

const inputSchema = z.object({});
const named = (id: string) => ({ id, name: id, description: id, instructions: id });

/** The kinds of tools: each has its name for the model, and notes its start. */
const starters: Record<string, (note: () => void) => { called: string; args?: object; parts: object }> = {
  "a tool of Mastra's": (note) => ({
    called: 'second',
    parts: { tools: { second: createTool({ ...named('second'), inputSchema, execute: async () => note() }) } },
  }),
  "a tool of the AI SDK's": (note) => ({
    called: 'second',
    parts: { tools: { second: tool({ description: 'second', inputSchema, execute: async () => note() }) } },
  }),
  'a tool that a guard added': (note) => ({
    called: 'second',
    parts: {
      inputProcessors: [
        {
          id: 'adds',
          processInputStep: ({ tools }: { tools?: object }) => ({
            tools: { ...tools, second: createTool({ ...named('second'), inputSchema, execute: async () => note() }) },
          }),
        },
      ],
    },
  }),
  'a sub-agent': (note) => ({
    called: 'agent-second',
    args: { prompt: 'Go.' },
    parts: { agents: { second: new InterlockAgent({ ...named('second'), model: noting(note) }) } },
  }),
  "a sub-agent of Mastra's class": (note) => ({
    called: 'agent-second',
    args: { prompt: 'Go.' },
    parts: { agents: { second: new Agent({ ...named('second'), model: noting(note) }) } },
  }),
  'a workflow': (note) => ({
    called: 'workflow-second',
    args: { inputData: {} },
    parts: { workflows: { second: workflowOf(note) } },
  }),
};

const noting = (note: () => void) => scriptedModel({ steps: () => (note(), { text: 'Late.' }) });

const workflowOf = (note: () => void) => {
  const step = createStep({ id: 'step', inputSchema, outputSchema: inputSchema, execute: async () => (note(), {}) });
  return createWorkflow({ id: 'second', description: 'second', inputSchema, outputSchema: inputSchema }).then(step).commit();
};

/** The causes of a stop while the second call has not started. */
const stoppers = {
  'the first tool cancels': (cancel: () => void) => ({ first: cancel }),
  'a hook of the first tool cancels': (cancel: () => void) => ({ hooks: { beforeToolCall: () => (cancel(), undefined) } }),
  'a guard of the first result cancels': (cancel: () => void) => ({ guard: cancel, hooks: slowSecond }),
  'a guard of the first result blocks': () => ({
    guard: ({ abort }: { abort: (why: string) => never }) => abort('No.'),
    hooks: slowSecond,
  }),
};

const slowSecond: ToolHooks = { beforeToolCall: async ({ toolName }) => void (toolName !== 'first' && (await sleep(5))) };

interface Named {
  readonly toolName?: string;
}

interface Stopper {
  first?: () => void;
  guard?: (args: never) => unknown;
  hooks?: ToolHooks;
}

describe.each(Object.entries(starters))('%s does not start', (_starter, starter) => {
  it.each(Object.entries(stoppers))('after %s', async (_name, stopper) => {
    const starts: string[] = [];
    const controller = new AbortController();
    const { first, guard = () => undefined, hooks }: Stopper = stopper(() => controller.abort());
    const { called, args = {}, parts } = starter(() => starts.push('second'));
    const { tools, ...others } = parts as { tools?: object };
    const agent = new InterlockAgent({
      ...named('agent'),
      model: scriptedModel({
        steps: [
          {
            toolCalls: [
              { name: 'first', args: {} },
              { name: called, args },
            ],
          },
          { text: 'Done.' },
        ],
      }),
      tools: {
        first: createTool({ ...named('first'), inputSchema, execute: async () => (starts.push('first'), first?.(), {}) }),
        ...tools,
      },
      outputProcessors: [guardOn('toolResult', guard as never)],
      ...others,
    });
    const stream = await agent.stream('Go.', { abortSignal: controller.signal, ...(hooks && { hooks }) });
    const ends: string[] = [];
    for await (const { type } of stream.fullStream) if (type === 'abort' || type === 'tripwire') ends.push(type);
    await untilQuiet();
    expect([ends.length, starts.includes('second')]).toEqual([1, false]);
  });
});

/** The stops of a step of Mastra's own agent after its model has written the call. */
const stopsOfOwn: Record<string, Processor> = {
  'a later chunk': guardOn('outputStream', ({ abort }) => abort('No.'), {
    when: ({ part }) => part?.type === 'tool-call' && (part.payload as Named).toolName === 'unknown',
  }),
  'the chunk of the call': guardOn('outputStream', ({ abort }) => abort('No.'), {
    when: ({ part }) => part?.type === 'tool-call',
  }),
  'the step': guardOn('outputStep', ({ abort }) => abort('No.')),
  'the step, without retries left': guardOn('outputStep', ({ abort }) => abort('No.', { retry: true })),
  'the response': guardOn('llmResponse', ({ abort }) => abort('No.')),
  'a failed guard of the response': guardOn('llmResponse', () => Promise.reject(new Error('down'))),
};

describe.each(Object.entries(starters))("%s of Mastra's own agent does not start", (_starter, starter) => {
  it.each(Object.entries(stopsOfOwn))('after a stop of %s', async (_name, guard) => {
    for (const requireToolApproval of starter === starters['a tool that a guard added'] ? [false] : [false, true]) {
      const starts: string[] = [];
      const { called, args = {}, parts } = starter(() => starts.push('second'));
      const { inputProcessors = [], ...others } = parts as { inputProcessors?: readonly Processor[] };
      const model = scriptedModel({
        steps: () => ({
          toolCalls: [
            { name: called, args },
            { name: 'unknown', args: {} },
          ],
        }),
      });
      const agent = new Agent({ ...named('agent'), model, ...others, ...ownWith(guard, inputProcessors) });
      const { fullStream } = await agent.stream('Go.', { maxSteps: 3, requireToolApproval });
      const types: string[] = [];
      for await (const { type } of fullStream) types.push(type);
      await untilQuiet();
      expect([starts, model.calls.length, types.includes('tool-call-approval')]).toEqual([[], 1, false]);
    }
  });
});

const ownWith = (guard: Processor, inputProcessors: readonly Processor[]) => {
  const guards = guardsFor([guard]);
  return { ...guards, inputProcessors: [...inputProcessors, ...guards.inputProcessors] as never };
};

it('a tool of guardedToolLoop does not start after the first tool cancels', async () => {
  const starts: string[] = [];
  const controller = new AbortController();
  const agent = guardedToolLoop({
    model: scriptedModel({
      specificationVersion: 'v4',
      steps: [{ toolCalls: ['first', 'second'].map((name) => ({ name, args: {} })) }, { text: 'Done.' }],
    }),
    tools: {
      first: tool({ inputSchema, execute: () => (starts.push('first'), controller.abort(), {}) }),
      second: tool({ inputSchema, execute: () => (starts.push('second'), {}) }),
    },
    guards: [guardOn('toolResult', () => undefined)],
  });
  await expect(agent.generate({ prompt: 'Go.', abortSignal: controller.signal })).rejects.toThrow('abort');
  await untilQuiet();
  expect(starts).toEqual(['first']);
});

it('a tool of guardTools does not start after a guard of the first result blocks', async () => {
  const starts: string[] = [];
  const run = createGuardedRun([
    guardOn('toolResult', ({ abort }) => abort('No.')),
    guardOn('outputStream', () => sleep(5), { when: ({ part }) => (part?.payload as Named | undefined)?.toolName === 'second' }),
  ]);
  toStreamTransform(run);
  const toolOf = (name: string) => tool({ inputSchema, execute: () => (starts.push(name), {}) });
  const { first, second } = guardTools({ first: toolOf('first'), second: toolOf('second') }, run);
  const ends = [first, second].map((one, index) => one.execute?.({}, { toolCallId: `${index}`, messages: [] } as never));
  await expect(Promise.all(ends.map((end) => Promise.resolve(end)))).rejects.toThrow('No.');
  await untilQuiet();
  expect(starts).toEqual(['first']);
});
