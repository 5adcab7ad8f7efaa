import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import type { Processor } from '@mastra/core/processors';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { jsonSchema, tool } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';

import { guardsFor } from '../../src/index.js';
import { scriptedModel, tripping } from '../../src/testing/index.js';

const inputSchema = z.object({ a: z.string().default('x') });
const outputSchema = z.object({ r: z.string() });
const base = { id: 't', description: 't', inputSchema };
const execute = async ({ a }: { a: string }) => ({ r: a });
const step = createStep({ id: 's', inputSchema, outputSchema, execute: async ({ inputData }) => ({ r: inputData.a }) });
const workflow = createWorkflow({ id: 'w', description: 'w', inputSchema, outputSchema }).then(step).commit();
const own = (fields: object) => ({ tools: { t: createTool({ ...base, execute, ...fields } as never) } });
const foreign = (fields: object) => ({ tools: { t: tool({ description: 't', inputSchema, execute, ...fields } as never) } });

interface Kind {
  readonly called?: string;
  readonly args?: object;
  readonly call?: object;
  readonly parts?: object;
}

const kinds: Record<string, () => Kind> = {
  'an output schema': () => ({ parts: own({ outputSchema, execute: async () => ({ r: 1 }) }) }),
  'an output for the model': () => ({ parts: own({ toModelOutput: () => ({ type: 'text', value: 'short' }) }) }),
  approval: () => ({ parts: own({ requireApproval: true }) }),
  'a function for approval': () => ({ parts: own({ requireApproval: async () => true }) }),
  'a transform': () => ({ parts: own({ transform: { display: { output: () => ({ r: 'hidden' }) } } }) }),
  'an error': () => ({ parts: own({ execute: () => Promise.reject(new Error('bad')) }) }),
  'a tool of the AI SDK': () => ({ parts: foreign({}) }),
  'a tool of the AI SDK with approval': () => ({ parts: foreign({ needsApproval: true }) }),
  'a JSON schema': () => ({ parts: foreign({ inputSchema: jsonSchema({ type: 'object' }) }) }),
  'a tool of the client': () => ({ call: { clientTools: { t: base } } }),
  'a toolset': () => ({ call: { toolsets: { s: own({}).tools } } }),
  'an unknown tool': () => ({}),
  'a workflow': () => ({ called: 'workflow-w', args: { inputData: { a: 'b' } }, parts: { workflows: { w: workflow } } }),
  'a sub-agent': () => {
    const model = scriptedModel({ steps: [{ text: 'Sub.' }] });
    const sub = new Agent({ id: 'sub', name: 'sub', description: 'sub', instructions: 'x', model });
    return { called: 'agent-sub', args: { prompt: 'Go.' }, parts: { agents: { sub } } };
  },
  'a tool that another processor adds': () => ({
    parts: { inputProcessors: [{ id: 'adds', processInputStep: () => own({ requireApproval: true }) }] },
  }),
};

/** A value without ids and times. */
const plain = (value: unknown): unknown => {
  const volatile = new Set(['runId', 'timestamp', 'createdAt', 'id', 'messageId', 'startedAt', 'endedAt', 'stack', 'response']);
  const json = JSON.stringify(value, (key, field: unknown) =>
    volatile.has(key) || key.startsWith('subAgent') ? undefined : field,
  );
  return JSON.parse(json.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, 'id')) as unknown;
};

const play = async ({ called = 't', args = {}, call = {}, parts = {} }: Kind, guard?: Processor) => {
  const model = scriptedModel({ steps: [{ toolCalls: [{ name: called, args }] }, { text: 'Done.' }] });
  const guards = guard && guardsFor([guard]);
  const { inputProcessors = [], ...others } = parts as { inputProcessors?: readonly Processor[] };
  const inputs = [...inputProcessors, ...(guards?.inputProcessors ?? [])] as never;
  const bare = new Agent({ id: 'a', name: 'A', instructions: 'x', model, ...others, ...guards, inputProcessors: inputs });
  const agent = new Mastra({ agents: { bare }, logger: false, storage: new InMemoryStore() }).getAgent('bare');
  const stream = await agent.stream('Go.', call);
  const chunks: unknown[] = [];
  for await (const chunk of stream.fullStream) chunks.push(chunk);
  const { finishReason, runId, toolResults } = await stream.getFullOutput();
  const rest = finishReason === 'suspended' && (await agent.resumeStream({ approved: true }, { runId: String(runId) }));
  if (rest) for await (const chunk of rest.fullStream) chunks.push(chunk);
  return plain({ chunks, finishReason, toolResults, calls: model.calls.map(({ options }) => options) });
};

const passing: Processor = {
  id: 'passing',
  processOutputStream: async ({ part }) => part,
  processOutputStep: ({ messageList }) => messageList,
  processToolResult: () => undefined,
  processLLMResponse: () => undefined,
};

it.each(Object.entries(kinds))('guards that pass change nothing about %s', async (_name, kind) => {
  expect(await play(kind(), passing)).toEqual(await play(kind()));
});

const counting = (starts: string[], guard: Processor) => {
  const { tools } = own({ execute: async () => starts.push('t') });
  const model = scriptedModel({ steps: () => ({ toolCalls: [{ name: 't', args: {} }] }) });
  return {
    model,
    agent: new Agent({ id: 'a', name: 'A', instructions: 'x', model, tools, ...guardsFor([guard]), maxProcessorRetries: 2 }),
  };
};

it('the tools of a granted retry run', async () => {
  const starts: string[] = [];
  const { agent } = counting(starts, tripping('processOutputStep', 'Again.', { retry: true, times: 1 }));
  await agent.generate('Go.', { maxSteps: 2 });
  expect(starts).toEqual(['t']);
});

it('no step runs after a block of the chunk of a result', async () => {
  const starts: string[] = [];
  const guard: Processor = {
    id: 'g',
    processOutputStream: async ({ part, abort }) => (part.type === 'tool-result' ? abort('No.') : part),
  };
  const { agent, model } = counting(starts, guard);
  const { tripwire } = await agent.generate('Go.', { maxSteps: 3 });
  expect([tripwire?.reason, starts.length, model.calls.length]).toEqual(['No.', 1, 1]);
});

it('the model does not read the output that a tool made of a result which guards edited', async () => {
  const { tools } = own({
    execute: async () => ({ r: 'a secret' }),
    toModelOutput: ({ r }: { r: string }) => ({ type: 'text', value: `It is ${r}.` }),
  });
  const guard: Processor = {
    id: 'g',
    processToolResult: ({ messages }) => JSON.parse(JSON.stringify(messages).replaceAll('a secret', '[x]')) as typeof messages,
  };
  const model = scriptedModel({ steps: [{ toolCalls: [{ name: 't', args: {} }] }, { text: 'Done.' }] });
  const stream = await new Agent({ id: 'a', name: 'A', instructions: 'x', model, tools, ...guardsFor([guard]) }).stream('Go.');
  const chunks: unknown[] = [];
  for await (const chunk of stream.fullStream) chunks.push(chunk);
  const all = JSON.stringify([chunks, await stream.getFullOutput(), model.calls[1]?.prompt]);
  expect([all.includes('[x]'), all.includes('a secret')]).toEqual([true, false]);
});
