import {
  PIIDetector,
  ProcessorStepInputSchema,
  ProcessorStepOutputSchema,
  ProcessorStepSchema as MastraSchema,
  type Processor,
} from '@mastra/core/processors';
import { createStep as createMastraStep, createWorkflow as createMastraWorkflow, type AnyWorkflow } from '@mastra/core/workflows';
import { z } from 'zod';
import { createStep, createWorkflow, InterlockAgent, otherwise, processorStep } from '../../src/index.js';
import { ProcessorStepSchema } from '../../schemas/index.js';
import { lengthGuard, redactor } from '../../workflows/guards/index.js';

const detector = new PIIDetector({ model: 'openai/gpt-5-mini' });
const own: Processor = { id: 'own', processInput: ({ messages }) => messages };

// The guide's and the plan's examples, with this package's names and with Mastra's.
export const workflows = (['a', 'b'] as const).flatMap((id): AnyWorkflow[] => [
  createWorkflow({ id, inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema })
    .then(createStep(detector))
    .parallel([createStep(redactor({ strategy: 'replace' })), createStep(own)])
    .map(async ({ inputData }) => inputData)
    .then(redactor({ strategy: 'replace' }))
    .parallel([new PIIDetector({ model: 'openai/gpt-5-mini' }), lengthGuard()])
    .map(async ({ inputData, getStepResult }) => getStepResult('own') ?? inputData['processor:pii-detector'], { id: 'pick' })
    .branch([
      // The plan's condition: payloads of some phases have no messages.
      [async ({ inputData }) => JSON.stringify(inputData.messages).includes('@'), createStep(detector)],
      [async ({ inputData, getInitData, mastra }) => inputData.phase === 'input' && getInitData() !== mastra, own],
      [otherwise, own],
    ])
    .commit(),
  createWorkflow({ id, inputSchema: MastraSchema, outputSchema: MastraSchema })
    .then(createStep(detector))
    .then(processorStep(own))
    .parallel([createStep(redactor({ strategy: 'replace' })), lengthGuard()])
    .commit(),
  createMastraWorkflow({ id, inputSchema: MastraSchema, outputSchema: MastraSchema })
    .parallel([processorStep(redactor({ strategy: 'replace' })), createStep(detector), createMastraStep(detector)])
    .map(async ({ inputData }) => inputData['processor:pii-detector'])
    .commit(),
  createMastraWorkflow({ id, inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema })
    .then(processorStep(redactor({ strategy: 'replace' })))
    .commit(),
]);

// A guard as a step in Mastra's builder, alone and together with Mastra's steps.
const guardStep = processorStep(redactor({ strategy: 'replace' }));
const inMastra = () => createMastraWorkflow({ id: 'a', inputSchema: MastraSchema, outputSchema: MastraSchema });
export const overMastras: AnyWorkflow[] = [
  inMastra().then(guardStep).then(guardStep).commit(),
  inMastra().then(guardStep).then(createMastraStep(detector)).commit(),
  inMastra().then(createMastraStep(detector)).then(guardStep).commit(),
  inMastra()
    .parallel([guardStep])
    .map(async ({ inputData }) => Object.values(inputData)[0]?.phase)
    .commit(),
  inMastra()
    .branch([[async ({ inputData }) => inputData.phase === 'input', guardStep]])
    .commit(),
  createMastraWorkflow({ id: 'a', inputSchema: ProcessorStepInputSchema, outputSchema: ProcessorStepOutputSchema })
    .then(guardStep)
    .commit(),
];
export const overOurs: AnyWorkflow[] = [
  createMastraWorkflow({ id: 'a', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema })
    .parallel([guardStep, processorStep(own)])
    .commit(),
  createMastraWorkflow({ id: 'a', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema })
    .branch([[async ({ inputData }) => inputData.phase === 'input', guardStep]])
    .commit(),
];

export const agent = new InterlockAgent({
  id: 'a',
  name: 'A',
  instructions: '',
  model: 'openai/gpt-5',
  inputProcessors: workflows,
});

// Steps and workflows without payloads keep Mastra's types.
const text = z.object({ text: z.string() });
const upper = createStep({
  id: 'upper',
  inputSchema: text,
  outputSchema: text,
  execute: async ({ inputData }) => ({ text: inputData.text.toUpperCase() }),
});
export const plain = createWorkflow({ id: 'plain', inputSchema: text, outputSchema: text }).then(upper).commit();
// @ts-expect-error the next step wants a text
createWorkflow({ id: 'wrong', inputSchema: z.object({ count: z.number() }), outputSchema: text }).then(upper);
// @ts-expect-error a number is no step
createWorkflow({ id: 'wrong', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema }).then(1);
