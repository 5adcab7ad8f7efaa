import { Agent } from '@mastra/core/agent';
import {
  ProcessorStepSchema,
  type InputProcessorOrWorkflow,
  type OutputProcessorOrWorkflow,
  type Processor,
} from '@mastra/core/processors';
import { createStep as createMastraStep, createWorkflow as createMastraWorkflow, type AnyWorkflow } from '@mastra/core/workflows';
import { describe, expect, it } from 'vitest';

import { fromWorkflow, InterlockAgent, processorStep, type PipelineStep } from '../../src/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { callThen, echo, modes, sentText, withText } from './support.js';

type Builder = ReturnType<typeof byHand>;
const byHand = (id = 'by-hand') =>
  createMastraWorkflow({ id, inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema });
/** A workflow made by hand from steps that Mastra's types would not chain. */
const chain = (...steps: unknown[]) =>
  steps.reduce<Builder>((built, step) => built.then(step as never) as never, byHand()).commit() as unknown as AnyWorkflow;
const step = (processor: object) => createMastraStep(processor as never) as never; // any hook works
const own = (id: string, execute: (payload: Record<string, unknown>) => unknown) =>
  createMastraStep({
    id,
    inputSchema: ProcessorStepSchema,
    outputSchema: ProcessorStepSchema,
    execute: async ({ inputData }) => execute(inputData as unknown as Record<string, unknown>) as never, // any result of a test's step
  });

interface Guards {
  inputProcessors?: AnyWorkflow[];
  outputProcessors?: AnyWorkflow[];
}

/** Both agents over the same script and guards. */
const both = (steps: readonly ScriptedStep<'v2'>[], guards: () => Guards) => {
  const make = () => {
    const model = scriptedModel({ steps });
    const base = { id: 'a', name: 'A', instructions: 'Answer.', tools: { echo }, model };
    const { inputProcessors = [], outputProcessors = [] } = guards();
    const lanes = {
      inputProcessors: inputProcessors as (InputProcessorOrWorkflow & PipelineStep)[],
      outputProcessors: outputProcessors as (OutputProcessorOrWorkflow & PipelineStep)[],
    };
    return { ...base, ...lanes };
  };
  return { stock: new Agent(make()), mine: new InterlockAgent(make()) };
};

const textsOf = async (agent: Agent) => {
  const stream = await agent.stream('Hi');
  const texts: string[] = [];
  for await (const chunk of stream.fullStream) if (chunk.type === 'text-delta') texts.push(chunk.payload.text);
  return texts;
};

/** Numbers the texts that leave. */
const number: Processor = {
  id: 'number',
  processOutputStream: async ({ part, state }) => {
    if (part.type !== 'text-delta') return part;
    const count = ((state['count'] as number | undefined) ?? 0) + 1;
    state['count'] = count;
    return { ...part, payload: { ...part.payload, text: `${part.payload.text}${count} ` } };
  },
};

describe('a manual workflow emits the same text as in Mastra’s own agent', () => {
  const shout: Processor = {
    id: 'shout',
    processOutputStream: async ({ part }) =>
      part.type === 'text-delta' ? { ...part, payload: { ...part.payload, text: part.payload.text.toUpperCase() } } : part,
  };
  const drop = (word: string): Processor => ({
    id: `drop-${word}`,
    processOutputStream: async ({ part }) => (part.type === 'text-delta' && part.payload.text.includes(word) ? null : part),
  });
  const answer = [{ text: ['one ', 'two ', 'three '] }];

  it.each<[string, () => AnyWorkflow]>([
    ['edited', () => chain(step(shout))],
    ['dropped', () => chain(step(drop('two')))],
    ['dropped, with steps after it', () => chain(step(drop('two')), step(shout))],
    [
      'edited next to a read-only guard',
      () =>
        byHand()
          .parallel([step(shout), step({ ...drop('nothing'), id: 'look' })] as never)
          .map(async ({ inputData }) => (inputData as Record<string, never>)['processor:shout'] as never)
          .commit(),
    ],
  ])('%s', async (_name, workflow) => {
    const { stock, mine } = both(answer, () => ({ outputProcessors: [workflow()] }));
    expect(await textsOf(mine)).toEqual(await textsOf(stock));
  });
});

describe('a manual workflow', () => {
  it('keeps a state for each step through the run, unlike in Mastra’s own agent', async () => {
    const { mine } = both([{ text: ['a ', 'b ', 'c '] }], () => ({
      outputProcessors: [chain(step(number), step({ ...number, id: 'again' }))],
    }));
    expect(await textsOf(mine)).toEqual(['a 1 1 ', 'b 2 2 ', 'c 3 3 ']);
  });

  it('runs once in each phase in which Mastra runs it', async () => {
    for (const mode of modes) {
      const phases: unknown[] = [];
      const watch = () => chain(own('watch', (payload) => (phases.push(payload['phase']), payload)));
      const steps = callThen('echo', { say: 'a' });
      const { mine } = both(steps, () => ({ inputProcessors: [watch()], outputProcessors: [watch()] }));
      const result = await mine[mode]('Hi');
      await result.text;
      const runs = (phase: string) => phases.filter((ran) => ran === phase).length;
      expect(['input', 'inputStep', 'outputStep', 'toolResult', 'outputResult'].map(runs)).toEqual([1, 2, 2, 1, 1]);
      expect(runs('outputStream')).toBeGreaterThan(2);
      expect(['llmRequest', 'llmResponse', 'apiError'].map(runs)).toEqual([0, 0, 0]);
    }
  });

  it('can have steps with a custom execute function', async () => {
    const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
    const shout = own('shout', (payload) =>
      payload['phase'] === 'input'
        ? {
            ...payload,
            messages: (payload['messages'] as never[]).map((message) => withText(message, (text) => text.toUpperCase())),
          }
        : payload,
    );
    const agent = new InterlockAgent({
      id: 'a',
      name: 'A',
      model,
      inputProcessors: chain(
        shout,
        own('nothing', () => undefined),
      ),
    });
    await agent.generate('hi');
    expect(sentText(model, 'user')).toBe('HI');
  });

  it('can contain Interlock steps, which run in all phases', async () => {
    const phases: string[] = [];
    const watch = processorStep({
      id: 'watch',
      processLLMRequest: () => void phases.push('llmRequest'),
      processLLMResponse: () => void phases.push('llmResponse'),
    });
    const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
    await new InterlockAgent({ id: 'a', name: 'A', model, inputProcessors: chain(watch) }).generate('Hi');
    expect(phases).toEqual(['llmRequest', 'llmResponse']);
  });

  it('fails the run if a step throws', async () => {
    const model = scriptedModel({ steps: [{ text: 'Hello.' }] });
    const broken = own('broken', () => {
      throw new Error('out of order');
    });
    const agent = new InterlockAgent({ id: 'a', name: 'A', model, inputProcessors: chain(broken) });
    await expect(agent.generate('Hi')).rejects.toMatchObject({ code: 'guard/unavailable', cause: { message: 'out of order' } });
    expect(model.calls).toHaveLength(0);
  });

  const pass = step({ id: 'pass', processInput: ({ messages }: { messages: unknown }) => messages });
  const forever = async () => true;
  it.each<[string, (built: Builder) => { commit(): unknown }]>([
    ['a dountil loop', (built) => built.dountil(pass, forever as never)],
    ['a dowhile loop', (built) => built.dowhile(pass, forever as never)],
    ['a sleep', (built) => built.sleep(10)],
    ['a sleepUntil', (built) => built.sleepUntil(new Date(0))],
    ['a foreach loop', (built) => (built as unknown as { foreach(item: unknown): Builder }).foreach(pass)],
  ])('is rejected with %s inside', (_name, build) => {
    const workflow = build(byHand()).commit() as AnyWorkflow;
    expect(() => fromWorkflow(workflow)).toThrow(
      /pipeline\/unsupported-step.*by-hand\/0.*it is a \.(dountil|dowhile|sleep|sleepUntil|foreach)\(\)/,
    );
  });
});
