import { Agent } from '@mastra/core/agent';
import { createDurableAgent, createEventedAgent } from '@mastra/core/agent/durable';
import { MemoryInputFilter, RegexFilterProcessor, type Processor } from '@mastra/core/processors';
import { createStep, createWorkflow, type AnyWorkflow } from '@mastra/core/workflows';
import { InMemoryStore } from '@mastra/core/storage';
import { Mastra } from '@mastra/core';
import { Memory } from '@mastra/memory';
import { TaskSignalProvider } from '@mastra/core/signals';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { guard, guardsFor, InterlockAgent, pipeline } from '../../src/index.js';
import { ProcessorStepSchema } from '../../schemas/index.js';
import { message } from '../../src/phase/test-setup.js';
import { scriptedModel, type ScriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { modes, sentText, withText, type Mode } from './support.js';

type Lanes = Partial<Record<'inputProcessors' | 'outputProcessors', readonly object[]>>;
type Make = (model: ScriptedModel, lanes: Lanes, config?: object) => Agent;

const base = { id: 'a', name: 'A', instructions: 'Answer.' };
const stock: Make = (model, lanes, config) => new Agent({ ...base, model, ...lanes, ...config } as never);
const own: Make = (model, lanes, config) => new InterlockAgent({ ...base, model, ...lanes, ...config } as never);
const guarded: Make = (model, { inputProcessors = [] }, config) => stock(model, guardsFor(inputProcessors as never), config);
const hosts = { 'Mastra’s own agent': stock, InterlockAgent: own, guardsFor: guarded };

const call = async (agent: Agent, mode: Mode, prompt: string, options: object = {}) => {
  const result = mode === 'generate' ? await agent.generate(prompt, options) : await agent.stream(prompt, options);
  return { text: await result.text, error: await (result as { error?: unknown }).error };
};

/** The text of a call, or `failed`. */
const ended = (agent: Agent, mode: Mode, prompt: string) =>
  call(agent, mode, prompt).then(
    ({ text, error }) => (error ? 'failed' : text),
    () => 'failed',
  );

/** Accepts payloads with few messages, and gives them a mode. */
const small = z
  .looseObject({ phase: z.string(), mode: z.string().default('short') })
  .refine(({ phase, ...data }) => phase !== 'input' || JSON.stringify(data['messages']).length < 400);

interface Call {
  readonly inputData: Record<string, unknown> & { readonly phase: string; readonly messages: never[] };
}

/** A step that writes its mode into the input. */
const writing = (id: string, more: object = {}) =>
  createStep({
    id,
    inputSchema: ProcessorStepSchema,
    outputSchema: ProcessorStepSchema,
    execute: async ({ inputData }: Call) =>
      inputData.phase === 'input'
        ? {
            ...inputData,
            messages: inputData.messages.map((one) => withText(one, (text) => `${text} ${String(inputData['mode'])}`)),
          }
        : inputData,
    ...more,
  } as never);

/** Mastra's builder; its types would not chain the steps of a test. */
interface Builder {
  then(step: unknown): Builder;
  commit(): AnyWorkflow;
}

const workflowOf = (steps: readonly unknown[], more: object = {}): AnyWorkflow =>
  steps
    .reduce<Builder>(
      (built, step) => built.then(step),
      createWorkflow({ id: 'w', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema, ...more } as never) as never,
    )
    .commit();

const shapes: Record<string, () => AnyWorkflow> = {
  'a step': () => workflowOf([writing('s', { inputSchema: small })]),
  'a workflow': () => workflowOf([writing('s')], { inputSchema: small }),
  'a nested workflow': () => workflowOf([workflowOf([writing('s')], { id: 'inner', inputSchema: small })]),
};

describe.each(Object.entries(shapes))('the inputSchema of %s', (_name, workflow) => {
  const long = 'x'.repeat(500);

  it.each(modes)('blocks what it does not accept, and gives its defaults: %s', async (mode) => {
    for (const make of [own, guarded]) {
      const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
      expect(await ended(make(model, { inputProcessors: [workflow()] }), mode, long)).toBe('failed');
      expect(model.calls).toHaveLength(0);
      expect(await ended(make(model, { inputProcessors: [workflow()] }), mode, 'Hi.')).toBe('Hello.');
      expect(sentText(model, 'user')).toBe('Hi. short');
    }
  });

  it('blocks on Mastra’s engine after an InterlockAgent has taken the workflow', async () => {
    const made = workflow();
    own(scriptedModel({ steps: [] }), { inputProcessors: [made] });
    const run = async (text: string) => {
      const started = await made.createRun();
      return started.start({ inputData: { phase: 'input', messages: [message('m', text)] } });
    };
    expect((await run(long)).status).toBe('failed');
    const { status, result } = (await run('Hi.')) as { status: string; result?: { messages: unknown } };
    expect([status, JSON.stringify(result?.messages)]).toEqual(['success', expect.stringContaining('Hi. short')]);
  });
});

describe('options of a workflow', () => {
  it('validateInputs: false switches the checks off', async () => {
    const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
    const workflow = workflowOf([writing('s', { inputSchema: small })], {
      inputSchema: small,
      options: { validateInputs: false },
    });
    await own(model, { inputProcessors: [workflow] }).generate('x'.repeat(500));
    expect(sentText(model, 'user')).toMatch(/x undefined$/);
  });

  it.each([
    [
      'its own rule',
      { shouldPersistSnapshot: ({ workflowStatus }: { workflowStatus: string }) => workflowStatus !== 'pending' },
      1,
    ],
    ['no rule', {}, 0],
  ])('runs of an adopted workflow are stored by %s', async (_name, options, runs) => {
    const storage = new InMemoryStore();
    const workflow = workflowOf([writing('s')], { options: { tracingPolicy: { internal: 1 }, ...options } });
    const agent = own(scriptedModel({ steps: [] }), { inputProcessors: [workflow] });
    const mastra = new Mastra({ agents: { agent }, workflows: { w: workflow }, storage, logger: false });
    const run = await mastra.getWorkflow('w').createRun();
    expect((await run.start({ inputData: { phase: 'input', messages: [message('m', 'Hi.')] } })).status).toBe('success');
    expect((await workflow.listWorkflowRuns()).runs).toHaveLength(runs);
    expect(workflow.options.tracingPolicy).toEqual({ internal: 1 });
  });

  it.each([
    ['a tracingPolicy', { tracingPolicy: { internal: 1 } }],
    ['a rule for storing runs', { shouldPersistSnapshot: () => false }],
  ])('a nested workflow with %s is rejected', (_name, options) => {
    const workflow = workflowOf([workflowOf([writing('s')], { id: 'inner', options })]);
    expect(() => own(scriptedModel({ steps: [] }), { inputProcessors: [workflow] })).toThrow(/pipeline\/unsupported-step.*inner/);
  });
});

describe.each(modes)('state signals: %s', (mode) => {
  const thread = { memory: { thread: 't', resource: 'r' } };
  const weather = (seen: string[] = []): Processor => ({
    id: 'weather',
    stateId: 'weather-now',
    processInputStep: ({ state }) => void (state['steps'] = ((state['steps'] as number | undefined) ?? 0) + 1),
    computeStateSignal: ({ state, threadId, lastSnapshot }) => {
      seen.push(`${threadId} ${String(state['steps'])} ${String(lastSnapshot !== undefined)}`);
      return { cacheKey: 'sun', mode: 'snapshot', tagName: 'weather', contents: 'Sunny in Oslo.' };
    },
  });
  const alone: Processor = {
    id: 'alone',
    computeStateSignal: () => ({ cacheKey: 'a', mode: 'snapshot', tagName: 'alone', contents: 'Alone.' }),
  };
  const tasks = [{ id: 't1', content: 'Buy milk', status: 'in_progress', activeForm: 'Buying milk' }];
  const steps: ScriptedStep<'v2'>[] = [
    { toolCalls: [{ name: 'task_write', args: { tasks } }] },
    { text: 'Done.' },
    { text: 'Again.' },
  ];

  const run = async (make: Make, lanes: () => Lanes) => {
    const storage = new InMemoryStore();
    const model = scriptedModel({ steps });
    const agent = make(model, lanes(), { memory: new Memory({ storage }), signals: [new TaskSignalProvider()] });
    const mastra = new Mastra({ agents: { agent }, storage, logger: false });
    for (const prompt of ['One.', 'Two.']) await call(mastra.getAgent('agent'), mode, prompt, thread);
    return model.calls.map(({ prompt }) =>
      ['Buy milk', 'Sunny', 'Alone'].map((word) => JSON.stringify(prompt).split(word).length - 1),
    );
  };

  it.each(Object.entries({ InterlockAgent: own, guardsFor: guarded }))(
    '%s sends the model those that Mastra’s agent sends',
    async (_name, make) => {
      const seen: string[] = [];
      const usual: string[] = [];
      const found = await run(make, () => ({ inputProcessors: [weather(seen), alone] }));
      expect(found).toEqual(await run(stock, () => ({ inputProcessors: [weather(usual), alone] })));
      expect(found.at(-1)?.every((count) => count > 0)).toBe(true);
      if (make === own) expect(seen).toEqual(usual); // in Mastra's own agent hooks have the state of their pipeline
    },
  );

  it('a pipeline sends them in each host', async () => {
    const inside = () => ({
      inputProcessors: [
        pipeline('p')
          .parallel([weather(), guard(alone, { deadlineMs: 10_000 })])
          .commit(),
      ],
    });
    const expected = await run(stock, () => ({ inputProcessors: [weather(), alone] }));
    for (const [host, make] of Object.entries(hosts)) expect([host, await run(make, inside)]).toEqual([host, expected]);
  });

  it('the guards after a processor judge its signal', async () => {
    const judge: Processor = {
      id: 'judge',
      processInputStep: ({ messages, abort }) => (JSON.stringify(messages).includes('Sunny') ? abort('weather') : undefined),
    };
    const model = scriptedModel({ steps });
    const agent = own(model, { inputProcessors: [weather(), judge] }, { memory: new Memory({ storage: new InMemoryStore() }) });
    await call(agent, mode, 'One.', thread);
    expect(model.calls).toHaveLength(0);
  });
});

describe('a durable agent of Mastra’s', () => {
  it.each([
    ['createDurableAgent', createDurableAgent],
    ['createEventedAgent', createEventedAgent],
  ] as const)('%s rejects an InterlockAgent with guards', (_name, wrap) => {
    const model = scriptedModel({ steps: [] });
    const filter: Processor = { id: 'filter', processInput: ({ messages }) => messages };
    expect(() => wrap({ agent: own(model, { inputProcessors: [filter] }) })).toThrow(
      /agent\/unsupported-method.*createDurableAgent.*durability/,
    );
    expect(wrap({ agent: own(model, {}) }).id).toBe('a');
  });
});

describe('two processors with one id', () => {
  it.each([[''], [[[]]], [7]])('an id that is no name is rejected: %j', (id) => {
    expect(() => guard({ id: 'one', processInput: ({ messages }) => messages }, { id: id as never })).toThrow(
      /guard\/invalid-option.*one\.id/,
    );
  });

  const filter = (pattern: RegExp) =>
    new RegexFilterProcessor({ rules: [{ name: 'rule', pattern, replacement: '[x]' }], strategy: 'redact' } as never);

  it('are rejected with the remedy', () => {
    const lanes = { inputProcessors: [filter(/a/g), filter(/b/g)] };
    expect(() => own(scriptedModel({ steps: [] }), lanes)).toThrow(/pipeline\/duplicate-id.*guard\(processor, \{ id \}\)/);
  });

  it.each(modes)('work with an id from guard: %s', async (mode) => {
    for (const make of Object.values(hosts)) {
      const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
      const lanes = { inputProcessors: [filter(/ada/g), guard(filter(/bob/g), { id: 'second' })] };
      await call(make(model, lanes), mode, 'ada and bob');
      expect(sentText(model, 'user')).toBe('[x] and [x]');
    }
  });

  it('a guard with an id blocks under it, and keeps its class', async () => {
    class Counting implements Processor {
      readonly id = 'counting';
      #calls = 0;
      processInput({ messages, abort }: Parameters<NonNullable<Processor['processInput']>>[0]) {
        this.#calls += 1;
        return this.#calls > 1 ? abort('twice') : messages;
      }
    }
    const counting = new Counting();
    const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
    const agent = own(model, { inputProcessors: [counting, guard(counting, { id: 'again' })] });
    expect((await agent.generate('Hi.')).tripwire).toMatchObject({ reason: 'twice', processorId: 'again' });
  });

  it.each(modes)('an agent with a processor that its memory also adds answers: %s', async (mode) => {
    const storage = new InMemoryStore();
    const memoryStore = (await storage.getStore('memory')) as never;
    const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
    const agent = own(
      model,
      { inputProcessors: [new MemoryInputFilter({ storage: memoryStore })] },
      { memory: new Memory({ storage }) },
    );
    expect((await call(agent, mode, 'Hi.', { memory: { thread: 't', resource: 'r' } })).text).toBe('Hello.');
  });
});
