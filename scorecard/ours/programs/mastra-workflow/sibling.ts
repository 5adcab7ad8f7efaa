import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { ProcessorStepSchema, type Processor } from '@mastra/core/processors';
import { createStep, createWorkflow } from '@mastra/core/workflows';

import { report, serveModel } from '../../../scripted-model.js';

const { url } = await serveModel(['Fine.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted') as never;

const blocks = { id: 'blocks', processInput: ({ abort }) => abort('no') } satisfies Processor;
let received = 'nothing';
const works = {
  id: 'works',
  processInput: async ({ messages, abortSignal }) => {
    abortSignal?.addEventListener('abort', () => (received = 'stop'));
    await new Promise((resolve) => void setTimeout(resolve, 300));
    return messages;
  },
} satisfies Processor;

const schemas = { inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema };
const guards = createWorkflow({ id: 'guards', ...schemas })
  .parallel([createStep(blocks), createStep(works)])
  .map(async ({ inputData }) => inputData['processor:works'])
  .commit();
const agent = new Agent({ id: 'agent', name: 'agent', instructions: 'Help.', model, inputProcessors: [guards as never] });
const { tripwire } = await agent.generate('Hello.');
console.log(`tripwire: ${tripwire?.reason}`);
report('nothing', { 'signal received by the other guard': received });
