import { Agent } from '@mastra/core/agent';
import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { ProcessorStepSchema, type InputProcessorOrWorkflow, type Processor } from '@mastra/core/processors';
import { createStep as createMastraStep, createWorkflow as createMastraWorkflow, type AnyWorkflow } from '@mastra/core/workflows';
import { describe, expect, it } from 'vitest';

import { InterlockAgent, otherwise, pipeline, type PipelineStep } from '../../src/index.js';
import { scriptedModel, tripping } from '../../src/testing/index.js';
import { callThen, echo, promptOf, textOf, withText } from './support.js';

const edit = (id: string, change: (text: string) => string): Processor & Required<Pick<Processor, 'processInput'>> => ({
  id,
  processInput: ({ messages }) => messages.map((message) => withText(message, change)),
});
const replace = (id: string, from: string, to: string) => edit(id, (text) => text.replace(from, to));
const keep = (id: string) => edit(id, (text) => text);
const perStep = (id: string): Processor & Required<Pick<Processor, 'processInputStep'>> => ({
  id,
  processInputStep: ({ messages, stepNumber, systemMessages }) => ({
    messages: messages.map((message) =>
      message.role === 'user' ? withText(message, (text) => `${text} ${id}${stepNumber}`) : message,
    ),
    systemMessages: [...systemMessages, { role: 'system', content: `Step ${stepNumber}.` }],
  }),
});
const includes =
  (word: string) =>
  async ({ inputData }: { inputData: unknown }) =>
    textOf((inputData as { messages: MastraDBMessage[] }).messages[0]).includes(word);

/** A workflow made by hand with Mastra's own builder. */
const byHand = (id = 'by-hand') =>
  createMastraWorkflow({ id, inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema });
const mastraStep = (processor: ReturnType<typeof edit>) => createMastraStep(processor);
const asWorkflow = (built: unknown) => built as AnyWorkflow; // Mastra's builders are typed by their schemas

const shapes: Record<string, () => unknown> = {
  'a processor': () => replace('a', 'one', '1'),
  'a pipeline in sequence': () =>
    pipeline('p')
      .then(replace('a', 'one', '1'))
      .then(replace('b', '1 two', '12'))
      .commit(),
  'a pipeline with a branch, whose condition holds': () =>
    pipeline('p')
      .branch([[includes('one'), replace('a', 'one', '1')]])
      .commit(),
  'a pipeline with a branch, whose condition does not hold': () =>
    pipeline('p')
      .branch([[includes('nine'), replace('a', 'one', '1')]])
      .then(replace('b', 'two', '2'))
      .commit(),
  'a pipeline with a branch, two of whose conditions hold': () =>
    pipeline('p')
      .branch([
        [includes('one'), replace('a', 'one', '1')],
        [otherwise, replace('b', 'three', '3')],
      ])
      .commit(),
  'a pipeline in parallel': () =>
    pipeline('p')
      .parallel([replace('a', 'one', '1'), replace('b', 'three', '3')])
      .commit(),
  'a pipeline with a nested pipeline': () =>
    pipeline('p')
      .then(
        pipeline('q')
          .then(replace('a', 'one', '1'))
          .parallel([replace('b', 'two', '2'), replace('c', 'three', '3')]),
      )
      .commit(),
  'a pipeline that runs at each step': () =>
    pipeline('p')
      .then(perStep('a'))
      .parallel([perStep('b'), keep('c')])
      .commit(),
  'a manual workflow': () =>
    byHand()
      .then(mastraStep(replace('a', 'one', '1')))
      .then(mastraStep(replace('b', '1', 'I')) as never) // its output type does not match its input type
      .commit(),
  'a manual workflow, in parallel with a map': () =>
    byHand()
      .parallel([mastraStep(replace('a', 'one', '1')), mastraStep(keep('b'))])
      .map(async ({ inputData }) => inputData['processor:a'])
      .then(mastraStep(replace('c', 'two', '2')))
      .commit(),
  'a manual workflow, with a branch': () =>
    byHand()
      .branch([
        [includes('one'), mastraStep(replace('a', 'one', '1'))],
        [includes('nine'), mastraStep(replace('b', 'three', '3'))],
      ])
      .map(async ({ inputData }) => inputData['processor:a'] ?? inputData['processor:b'])
      .commit(),
  'a manual workflow, with a nested workflow': () =>
    byHand()
      .then(
        byHand('inside')
          .then(mastraStep(replace('a', 'one', '1')))
          .commit(),
      )
      .then(mastraStep(replace('b', '1', 'I')))
      .commit(),
  several: () => [
    replace('a', 'one', '1'),
    pipeline('p')
      .then(replace('b', '1', 'I'))
      .commit(),
    byHand()
      .then(mastraStep(replace('c', 'two', '2')))
      .commit(),
  ],
};

const config = (guards: unknown) => {
  const model = scriptedModel({ steps: callThen('echo', { say: 'a' }) });
  const inputProcessors = [guards].flat() as InputProcessorOrWorkflow[] & PipelineStep[]; // both agents accept each of them
  return { id: 'a', name: 'A', instructions: 'Answer.', tools: { echo }, model, inputProcessors };
};

describe('Mastra’s own agent and an InterlockAgent send the model the same messages', () => {
  it.each(Object.entries(shapes))('through %s', async (_name, shape) => {
    const [stock, own] = [config(shape()), config(shape())];
    await new Agent({ ...stock, instructions: 'Answer.' }).generate('one two three');
    await new InterlockAgent(own).generate('one two three');
    for (const call of [0, 1]) expect(promptOf(own.model, call)).toEqual(promptOf(stock.model, call));
    expect(own.model.calls).toHaveLength(2);
  });

  it.each([
    [
      'a pipeline',
      () =>
        pipeline('p')
          .then(keep('a'))
          .then(tripping('processInput', 'No.', { id: 't' }))
          .commit(),
    ],
    [
      'a nested pipeline',
      () =>
        pipeline('p')
          .then(pipeline('q').then(tripping('processInput', 'No.', { id: 't' })))
          .commit(),
    ],
    [
      'a manual workflow',
      () =>
        asWorkflow(
          byHand()
            .then(mastraStep({ id: 't', processInput: ({ abort }) => abort('No.') }))
            .commit(),
        ),
    ],
  ])('no messages if %s trips', async (_name, shape) => {
    const [stock, own] = [config(shape()), config(shape())];
    const [stockResult, ownResult] = [await new Agent(stock).generate('one'), await new InterlockAgent(own).generate('one')];
    expect(stockResult.tripwire).toMatchObject({ reason: 'No.', processorId: 't' });
    expect(ownResult.tripwire).toMatchObject({ reason: 'No.', processorId: 't' });
    expect([stock.model.calls.length, own.model.calls.length]).toEqual([0, 0]);
  });
});
