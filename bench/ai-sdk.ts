import { isStepCount, streamText, tool, ToolLoopAgent, wrapLanguageModel, type StreamTextTransform } from 'ai';
import { guardedToolLoop } from '../src/ai-sdk/index.js';
import type { Work } from './case.js';
import {
  benchModel,
  countDeltas,
  countSteps,
  echo,
  history,
  stepAnswers,
  stepGuards,
  streamGuards,
  textAnswer,
  type BenchModel,
} from './model.js';

const passThrough: StreamTextTransform<Record<string, never>> = () =>
  new TransformStream({ transform: async (part, controller) => controller.enqueue(part) });

/** `streamText` with the given number of transforms, which the AI SDK has instead of guards. */
export const stream = (guards: number, { forAiSdk: model }: BenchModel) =>
  streamText({ model, prompt: 'Say it.', experimental_transform: Array.from({ length: guards }, () => passThrough) }).fullStream;

export const streamed =
  (guards: number) =>
  (chunks: number): Work => {
    const answer = textAnswer(chunks);
    const model = benchModel(() => answer, 'v4');
    return async () => countDeltas(stream(guards, model));
  };

interface BenchGuard {
  readonly processInputStep?: () => Promise<unknown>;
  readonly processOutputStep?: (step: object) => Promise<unknown>;
  readonly processOutputStream?: (call: object) => Promise<unknown>;
}

/** The same guards by hand, without retries, buffering, reports and a stop before tools: a middleware that awaits each of them. */
const byHand = (settings: { readonly model: unknown }, guards: readonly BenchGuard[]): ToolLoopAgent => {
  const model = wrapLanguageModel({
    model: settings.model as never, // the model of the bench
    middleware: {
      specificationVersion: 'v4',
      transformParams: async ({ params }) => {
        for (const { processInputStep } of guards) await processInputStep?.();
        return params;
      },
      wrapGenerate: async ({ doGenerate }) => {
        const result = await doGenerate();
        for (const { processOutputStep } of guards) await processOutputStep?.({ messages: result.content });
        return result;
      },
      wrapStream: async ({ doStream }) => {
        const result = await doStream();
        const judged = new TransformStream({
          transform: async (part, controller) => {
            for (const { processOutputStream } of guards) await processOutputStream?.({ part });
            controller.enqueue(part);
          },
        });
        return { ...result, stream: result.stream.pipeThrough(judged) };
      },
    },
  });
  return new ToolLoopAgent({ ...settings, model });
};

/** The AI SDK's agent, and the guarded replacement of this package. */
const loops = {
  ToolLoopAgent: (settings: object, _guards: readonly object[]) => new ToolLoopAgent(settings as never),
  middleware: (settings: object, guards: readonly object[]) => byHand(settings as { model: unknown }, guards),
  guardedToolLoop: (settings: object, guards: readonly object[]) =>
    guardedToolLoop({ ...settings, guards, guardOptions: { window: 'delta' } } as never),
} as const;

export interface Looped {
  readonly loop: keyof typeof loops;
  readonly guards: number;
}

export const loopStreamed =
  ({ loop, guards }: Looped) =>
  (chunks: number): Work => {
    const answer = textAnswer(chunks);
    const model = benchModel(() => answer, 'v4').forAiSdk;
    const agent = loops[loop]({ model }, streamGuards(guards));
    return async () => countDeltas((await agent.stream({ prompt: 'Say it.' })).fullStream);
  };

/** A tool loop of the given number of steps: its result, or its stream read to the end. */
export const loopStepped =
  ({ loop, guards }: Looped, isStreamed = false) =>
  (steps: number, messages = 1): Work => {
    const model = benchModel(stepAnswers(steps), 'v4').forAiSdk;
    const settings = { model, tools: { echo: tool(echo) }, stopWhen: isStepCount(steps) };
    const agent = loops[loop](settings, stepGuards(guards));
    const conversation = history(messages) as never; // messages of the AI SDK
    const generated = async () => (await agent.generate({ messages: conversation })).steps.length;
    return isStreamed ? async () => countSteps((await agent.stream({ messages: conversation })).fullStream) : generated;
  };
