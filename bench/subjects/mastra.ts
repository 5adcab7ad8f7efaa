import { Agent } from '@mastra/core/agent';
import { ProcessorStepSchema, type OutputProcessorOrWorkflow } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import type { Work } from '../case.js';
import { stepGuards, streamGuards } from '../guards.js';
import { benchModel, stepAnswers, textAnswer, type BenchModel } from '../model.js';
import { countDeltas } from './count-deltas.js';
import { echo, history } from './shared.js';

const agentOf = ({ forMastra }: BenchModel, config: object = {}) =>
  new Agent({ id: 'bench', name: 'bench', instructions: 'Be brief.', model: forMastra, ...config });

const workflowOf = (processors: readonly object[]): OutputProcessorOrWorkflow => {
  const workflow = createWorkflow({ id: 'guards', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema });
  for (const processor of processors) workflow.then(createStep(processor as never) as never);
  return workflow.commit() as unknown as OutputProcessorOrWorkflow;
};

/** One streamed answer, read to its end. */
export const streamed =
  (shape: 'array' | 'workflow', guards: number) =>
  (chunks: number): Work => {
    const answer = textAnswer(chunks);
    const processors = streamGuards(guards);
    const outputProcessors = shape === 'array' ? processors : [workflowOf(processors)];
    const agent = agentOf(
      benchModel(() => answer),
      { outputProcessors },
    );
    return async () => countDeltas((await agent.stream('Say it.')).fullStream);
  };

/** A tool loop of so many steps after so many messages. */
export const stepped =
  (shape: 'array' | 'workflow', guards: number) =>
  (steps: number, messages = 1): Work => {
    const processors = shape === 'array' ? stepGuards(guards) : [workflowOf(stepGuards(guards))];
    const agent = agentOf(benchModel(stepAnswers(steps)), {
      inputProcessors: processors,
      outputProcessors: processors,
      tools: { echo: createTool({ id: 'echo', ...echo }) },
    });
    const conversation = history(messages);
    return async () => (await agent.generate(conversation, { maxSteps: steps })).steps.length;
  };

/** Streams an answer of a model through so many guards. */
export const stream = (guards: number) => {
  const outputProcessors = streamGuards(guards);
  return async (model: BenchModel) => (await agentOf(model, { outputProcessors }).stream('Say it.')).fullStream;
};

/** Starts a stream that nobody reads. */
export const unread = async (model: BenchModel): Promise<unknown> => agentOf(model).stream('Say it.');
