import { RegexFilterProcessor, type Processor } from '@mastra/core/processors';

import { createWorkflow as createMastraWorkflow } from '@mastra/core/workflows';

import {
  createWorkflow,
  guard,
  InterlockAgent,
  pipeline,
  processorStep,
  type GuardTraits,
  type InterlockAgentConfig,
  type PipelineStep,
} from '../../src/index.js';
import { ProcessorStepSchema } from '../../schemas/index.js';
import { scriptedModel } from '../../src/testing/index.js';

type Hook =
  | 'processAPIError'
  | 'processLLMResponse'
  | 'processInput'
  | 'processInputStep'
  | 'processOutputStream'
  | 'processOutputStep'
  | 'processOutputResult';

/** A guard with hooks that let everything pass. */
export const passing = (id: string, hooks: readonly Hook[] = ['processInput'], traits?: GuardTraits): Processor => ({
  id,
  ...Object.fromEntries(hooks.map((hook) => [hook, ({ part }: { part?: unknown }) => part])),
  ...(traits && { traits }),
});

export const editing = (id: string) => passing(id, ['processInput'], { decides: ['edit'] });
export const retrying = (id: string) => passing(id, ['processOutputStep'], { decides: ['retry'] });
export const blocking = (id: string, hooks: readonly Hook[] = ['processOutputStep']) => passing(id, hooks, { decides: ['trip'] });
export const streaming = (id: string, traits?: GuardTraits) => passing(id, ['processOutputStream'], traits);
export const lateEditing = (id: string, hooks: readonly Hook[] = ['processOutputStep']) =>
  passing(id, hooks, { decides: ['edit'] });
/** A guard that overlaps with the model. */
export const overlapping = (id: string, hooks?: readonly Hook[], deadlineMs?: number) =>
  // Its type does not declare that it edits nothing.
  guard(passing(id, hooks) as never, { overlap: true, ...(deadlineMs !== undefined && { deadlineMs }) }) as Processor;
export const patterned = (id: string, maxLength: number | 'part') =>
  Object.assign(streaming(id), { window: { pattern: { maxLength, find: () => [], replace: () => '' } } });

export const never = () => false;
export const mentionsA = ({ inputData }: { inputData: object }) => JSON.stringify(inputData).includes('a');
export const judge = (errorStrategy: 'strict' | 'warn' = 'strict') => ({
  model: scriptedModel({ steps: [{ text: 'fine' }] }) as never, // a model of the AI SDK
  errorStrategy,
});
export const filter = (strategy: 'block' | 'redact') =>
  new RegexFilterProcessor({ strategy, rules: [{ name: 'word', pattern: /secret/g, replacement: '' }] });

/** A step three pipelines deep, next to a valid one; its path begins with {@link deepPath}. */
export const deep = (...steps: readonly PipelineStep[]) => {
  const inner = pipeline('inner');
  for (const step of steps) inner.then(step);
  const middle = pipeline('middle').parallel([passing('beside'), inner]);
  return pipeline('outer')
    .then(passing('before'))
    .branch([[mentionsA, middle]]);
};
export const deepPath = 'outer/branch.1/middle/parallel.0/inner';

/** Guards in a workflow made by hand with Mastra's builder, which rejects nothing itself. */
export const byHand = (...steps: readonly Processor[]) => {
  const workflow = createMastraWorkflow({ id: 'by-hand', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema });
  return steps
    .reduce(
      (built, step) => built.then(processorStep(step) as never),
      workflow as never as { commit(): never; then(step: never): never },
    )
    .commit();
};

/** A case after one that always matches, in a workflow made by hand. */
export const armsByHand = () =>
  createWorkflow({ id: 'by-hand', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema })
    .branch([
      [async () => true, processorStep(passing('a'))],
      [async (context: { inputData: object }) => mentionsA(context), processorStep(passing('b'))],
    ] as never)
    .commit();

export const agentWith = (config: Partial<InterlockAgentConfig>) =>
  new InterlockAgent({
    id: 'a',
    name: 'A',
    model: scriptedModel({ steps: [{ text: 'Hello.' }] }),
    hold: 'run', // no guard is late
    ...(config as object),
  });
