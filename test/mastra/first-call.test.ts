import { createStep, createWorkflow, type AnyWorkflow } from '@mastra/core/workflows';
import type { Processor } from '@mastra/core/processors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { InterlockAgent, isInterlockError, phases, pipeline, processorStep } from '../../src/index.js';
import { ProcessorStepSchema } from '../../schemas/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { times } from '../modes.js';
import { modes } from './support.js';

/** A pipeline as data. A guard has hooks in some phases, and passes. */
type Spec =
  | { readonly kind: 'guard'; readonly hooks: readonly string[] }
  | { readonly kind: 'map' }
  | { readonly kind: 'sequence' | 'parallel' | 'branch'; readonly nodes: readonly Spec[] };

interface Builder {
  then(step: unknown): Builder;
  parallel(steps: readonly unknown[]): Builder;
  branch(arms: readonly (readonly [unknown, unknown])[]): Builder;
  map(run: unknown): Builder;
  commit(): AnyWorkflow;
}

const schemas = { inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema };

/** True if Mastra makes a step of a processor: it knows no others. */
const isForMastra = (processor: Processor): boolean =>
  Object.keys(processor).some((name) => !['id', 'processLLMRequest', 'processLLMResponse', 'processAPIError'].includes(name));

/** The builders of a workflow, and the form of a processor in it. */
const builders = {
  pipeline: { start: (id: string) => pipeline(id) as unknown as Builder, step: (processor: Processor): unknown => processor },
  'Mastra’s builder': { start: (id: string) => createWorkflow({ id, ...schemas }) as unknown as Builder, step: processorStep },
  'Mastra’s builder and steps': {
    start: (id: string) => createWorkflow({ id, ...schemas }) as unknown as Builder,
    step: (processor: Processor): unknown => (isForMastra(processor) ? createStep(processor as never) : processorStep(processor)),
  },
};

const answers: Record<string, unknown> = {
  processOutputStream: 'part',
  processInput: 'messages',
  processOutputResult: 'messages',
};

const guardOf = (id: string, hooks: readonly string[]): Processor => ({
  id,
  ...Object.fromEntries(hooks.map((hook) => [hook, (args: Record<string, unknown>) => args[String(answers[hook])]])),
});

type Making = (typeof builders)[keyof typeof builders];

const build = (nodes: readonly Spec[], { start, step }: Making, id = 'p'): AnyWorkflow => {
  const stepOf = (spec: Spec, at: string): unknown =>
    spec.kind === 'guard'
      ? step(guardOf(at, spec.hooks))
      : build(spec.kind === 'sequence' ? spec.nodes : [spec], { start, step }, at);
  let built = start(id);
  for (const [index, spec] of nodes.entries()) {
    const at = `${id}-${index}`;
    if (spec.kind === 'map')
      built = built.map(async ({ inputData }: { inputData: object }) =>
        'phase' in inputData ? inputData : Object.values(inputData)[0],
      );
    else if (spec.kind === 'parallel') built = built.parallel(spec.nodes.map((inner, place) => stepOf(inner, `${at}-${place}`)));
    else if (spec.kind === 'branch')
      built = built.branch(spec.nodes.map((inner, place) => [async () => place > 0, stepOf(inner, `${at}-${place}`)]));
    else built = built.then(stepOf(spec, at));
  }
  return built.commit();
};

const lanes = ['inputProcessors', 'outputProcessors', 'errorProcessors'] as const;
const hook = fc.constantFrom(...Object.values(phases).map((row) => row.hook));

const { nodes } = fc.letrec<{ node: Spec; nodes: readonly Spec[] }>((tie) => ({
  nodes: fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
  node: fc.oneof(
    { maxDepth: 3 },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('guard' as const), hooks: fc.uniqueArray(hook, { minLength: 1, maxLength: 4 }) }),
    },
    { weight: 2, arbitrary: fc.constant<Spec>({ kind: 'map' }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom('sequence' as const, 'parallel' as const, 'branch' as const),
        nodes: tie('nodes'),
      }),
    },
  ),
}));

const agentOf = (places: readonly (typeof lanes)[number][], workflow: object, steps: readonly ScriptedStep<'v2'>[]) => {
  const model = scriptedModel({ steps });
  const inArrays = Object.fromEntries(places.map((lane) => [lane, [workflow]]));
  return new InterlockAgent({ id: 'a', name: 'A', instructions: 'Answer.', model, ...inArrays });
};

describe.each(Object.entries(builders))('with %s', (_name, making) => {
  it.each(modes)('an agent that the constructor accepts answers its first call: %s', async (mode) => {
    const answered = fc.asyncProperty(nodes, fc.subarray([...lanes], { minLength: 1 }), async (specs, places) => {
      let agent: InterlockAgent;
      try {
        agent = agentOf(places, build(specs, making), [{ text: 'Hello.' }]);
      } catch (error) {
        expect(isInterlockError(error) && error.code).toMatch(/^pipeline\//);
        return;
      }
      const { text } = await agent[mode]('Hi.');
      expect(await text).toBe('Hello.');
    });
    await fc.assert(answered, times(40, 2_000));
  });

  it.each(modes)('a failed call runs the error hooks of both arrays, around blocks without one: %s', async (mode) => {
    const specs: Spec[] = [
      {
        kind: 'parallel',
        nodes: [
          { kind: 'guard', hooks: ['processInput', 'processOutputResult'] },
          { kind: 'guard', hooks: ['processInput'] },
        ],
      },
      { kind: 'map' },
      { kind: 'guard', hooks: ['processInput', 'processOutputResult', 'processAPIError'] },
    ];
    const agent = agentOf(['inputProcessors', 'outputProcessors'], build(specs, making), [{ error: new Error('busy') }]);
    await expect(agent[mode]('Hi.').then(({ text }) => text)).rejects.toThrow('busy');
  });
});
