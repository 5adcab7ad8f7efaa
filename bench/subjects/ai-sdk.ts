import { generateText, isStepCount, streamText, tool, type StreamTextTransform } from 'ai';
import type { Work } from '../case.js';
import { benchModel, stepAnswers, textAnswer, type BenchModel } from '../model.js';
import { countDeltas } from './count-deltas.js';
import { echo, history } from './shared.js';

const passThrough: StreamTextTransform<Record<string, never>> = () =>
  new TransformStream({ transform: async (part, controller) => controller.enqueue(part) });

/** One streamed answer, read to its end, through so many transforms. */
export const streamed =
  (transforms: number) =>
  (chunks: number): Work => {
    const answer = textAnswer(chunks);
    const model = benchModel(() => answer, 'v4').forAiSdk;
    const experimental_transform = Array.from({ length: transforms }, () => passThrough);
    return async () => countDeltas(streamText({ model, prompt: 'Say it.', experimental_transform }).fullStream);
  };

/** A tool loop of so many steps after so many messages. */
export const stepped =
  () =>
  (steps: number, messages = 1): Work => {
    const model = benchModel(stepAnswers(steps), 'v4').forAiSdk;
    const conversation = history(messages);
    return async () =>
      (await generateText({ model, messages: conversation, tools: { echo: tool(echo) }, stopWhen: isStepCount(steps) })).steps
        .length;
  };

/** Streams an answer of a model through so many transforms. */
export const stream = (transforms: number) => {
  const experimental_transform = Array.from({ length: transforms }, () => passThrough);
  return ({ forAiSdk: model }: BenchModel) => streamText({ model, prompt: 'Say it.', experimental_transform }).fullStream;
};

/** Starts a stream that nobody reads. */
export const unread = async ({ forAiSdk }: BenchModel): Promise<unknown> =>
  streamText({ model: forAiSdk, prompt: 'Say it.' }).fullStream;
