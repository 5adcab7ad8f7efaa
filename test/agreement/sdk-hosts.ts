import { generateText, isStepCount, streamText, tool, type ToolSet } from 'ai';

import {
  createGuardedRun,
  guardedToolLoop,
  guardSettings,
  isStopError,
  toStreamTransform,
  type GuardedRunEvent,
} from '../../src/ai-sdk/index.js';
import { guardsOf } from './guards.js';
import type { Script } from './script.js';
import { failed, inOrder, pageOfResult, type Seen } from './seen.js';
import { description, inputSchema, worldOf } from './world.js';

/** What the AI SDK's results have of a step. */
interface Step {
  readonly text: string;
  readonly reasoningText?: string | undefined;
  readonly toolCalls: readonly { readonly input: unknown }[];
  readonly content: readonly { readonly type: string; readonly output?: unknown }[];
}

interface Answer {
  readonly steps: readonly Step[];
}

interface Streamed {
  readonly fullStream: AsyncIterable<{ readonly type: string; readonly text?: string; readonly error?: unknown }>;
  readonly steps: PromiseLike<readonly Step[]>;
}

interface Settings {
  readonly model: never;
  readonly tools: ToolSet;
  readonly prompt: string;
  readonly guards: never;
  readonly options: Parameters<typeof createGuardedRun>[1];
}

/** A way to run guarded steps with the AI SDK: it gives the answer, and takes the words that leave. */
export type SdkWay = (settings: Settings, left: string[]) => Promise<Answer>;

const loopSettings = { maxRetries: 0, stopWhen: isStepCount(8) };

const readAll = async ({ fullStream, steps }: Streamed, left: string[]): Promise<Answer> => {
  const settled = Promise.allSettled([steps]);
  const errors: unknown[] = [];
  for await (const part of fullStream) {
    if (part.type === 'text-delta') left.push(part.text ?? '');
    if (part.type === 'error') errors.push(part.error);
  }
  await settled;
  if (errors.length > 0) throw errors[0];
  return { steps: await steps };
};

const untold = () => undefined; // errors are read from the stream

const loopOf = ({ model, tools, guards, options }: Settings) =>
  guardedToolLoop({ ...loopSettings, model, tools, guards, guardOptions: options });

export const sdkWays: Readonly<Record<string, { readonly run: SdkWay; readonly isStream: boolean }>> = {
  'guardedToolLoop, generate': {
    isStream: false,
    run: async (settings) => loopOf(settings).generate({ prompt: settings.prompt }),
  },
  'guardedToolLoop, stream': {
    isStream: true,
    run: async (settings, left) => readAll((await loopOf(settings).stream({ prompt: settings.prompt })) as never, left),
  },
  'generateText with guardSettings': {
    isStream: false,
    run: async ({ guards, options, ...settings }) => {
      const run = createGuardedRun(guards, options);
      const result = await generateText({ ...loopSettings, ...settings, ...guardSettings(settings, run) });
      await run.finish();
      return result;
    },
  },
  'streamText with guardSettings and toStreamTransform': {
    isStream: true,
    run: async ({ guards, options, ...settings }, left) => {
      const run = createGuardedRun(guards, options);
      const transform = { experimental_transform: toStreamTransform(run), onError: untold };
      const answer = await readAll(
        streamText({ ...loopSettings, ...settings, ...guardSettings(settings, run), ...transform }),
        left,
      );
      await run.finish();
      return answer;
    },
  },
};

const stepOf = ({ text, reasoningText = '', toolCalls, content }: Step): unknown => ({
  text,
  reasoning: reasoningText,
  toolCalls: toolCalls.map(({ input }) => JSON.stringify(input)),
  toolResults: content.flatMap(({ type, output }) => (type === 'tool-result' ? [JSON.stringify(output)] : [])).toSorted(),
});

/** By default an agent's stream is held where a guard judges the result. */
const holdOf = (hold: Script['hold']): 'chunk' | 'step' | undefined => {
  if (hold === 'none') return 'chunk';
  return hold === 'step' ? hold : undefined;
};

/** A run in the AI SDK; all that a reader of its result learns. */
export const onSdk =
  ({ run, isStream }: { readonly run: SdkWay; readonly isStream: boolean }) =>
  async (one: Script): Promise<Seen> => {
    const { model, execute, seen } = worldOf(one, 'v4');
    const events: GuardedRunEvent[] = [];
    const words: string[] = [];
    const settings: Settings = {
      model: model as never,
      tools: { charge: tool({ description, inputSchema, execute }) },
      prompt: one.request.join(' '),
      guards: guardsOf(one).list as never, // of drawn guards
      options: {
        maxProcessorRetries: one.budget,
        maxErrorRetries: one.budget,
        hold: isStream ? holdOf(one.hold) : undefined,
        onEvent: (event) => void events.push(event),
      },
    };
    const ended = await run(settings, words).then(
      ({ steps }) => ({ end: ['success'], steps: steps.map(stepOf), text: steps.map(({ text }) => text).join('') }),
      (error: Error) => {
        const isTripwire = isStopError(error) && error.name === 'TripwireError';
        const end = isTripwire ? ['tripwire', error.reason, error.processorId, error.phase] : failed(error);
        return { end, steps: [], text: '' };
      },
    );
    const { text, ...told } = ended;
    const verdicts = inOrder(events.filter((event) => event.type === 'guard'));
    const left = isStream ? words.join('') : text;
    return { ...told, left, page: pageOfResult(left, told.steps), ...seen(), verdicts, saved: [] };
  };
