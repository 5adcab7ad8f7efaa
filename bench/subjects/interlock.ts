import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { InterlockAgent, pipeline, type InterlockConfig } from '../../src/index.js';
import type { Work } from '../case.js';
import { stepGuards, streamGuards } from '../guards.js';
import { benchModel, stepAnswers, textAnswer, type BenchModel } from '../model.js';
import { countDeltas } from './count-deltas.js';
import { echo, history } from './shared.js';

const agentOf = ({ forMastra }: BenchModel, config: Partial<InterlockConfig> & { tools?: object } = {}) =>
  new InterlockAgent({ id: 'bench', name: 'bench', instructions: 'Be brief.', model: forMastra, ...config } as never);

const inSequence = (guards: number) => {
  const empty = pipeline('guards');
  for (const guard of streamGuards(guards)) empty.then(guard);
  return empty.commit();
};

/** How the guards of an agent may be put together. */
const shapes = {
  array: streamGuards,
  pipeline: inSequence,
  parallel: (guards: number) => pipeline('guards').parallel(streamGuards(guards)).commit(),
};

/** One streamed answer, read to its end. */
export const streamed =
  (shape: keyof typeof shapes, guards: number) =>
  (chunks: number): Work => {
    const answer = textAnswer(chunks);
    const outputProcessors = shapes[shape](guards);
    const agent = agentOf(
      benchModel(() => answer),
      { outputProcessors },
    );
    return async () => countDeltas((await agent.stream('Say it.')).fullStream);
  };

/** A tool loop of so many steps after so many messages. */
export const stepped =
  (guards: number) =>
  (steps: number, messages = 1): Work => {
    const processors = stepGuards(guards);
    const agent = agentOf(benchModel(stepAnswers(steps)), {
      inputProcessors: processors,
      outputProcessors: processors,
      tools: { echo: createTool({ id: 'echo', ...echo }) },
    });
    const conversation = history(messages);
    return async () => (await agent.generate(conversation, { maxSteps: steps })).steps.length;
  };

/** Streams an answer of a model through guards. */
export const streamThrough =
  (outputProcessors: Processor[]) =>
  async (model: BenchModel): Promise<ReadableStream<{ type: string; payload?: unknown }>> =>
    (await agentOf(model, { outputProcessors }).stream('Say it.')).fullStream;

/** Streams an answer of a model through so many guards. */
export const stream = (guards: number) => streamThrough(streamGuards(guards));

/** Starts a stream that nobody reads. */
export const unread = async (model: BenchModel): Promise<unknown> => agentOf(model).stream('Say it.');
