import { generateText, isStepCount, jsonSchema, Output, streamText, tool, type ToolSet } from 'ai';

import {
  createGuardedRun,
  guardedToolLoop,
  guardSettings,
  guardTools,
  isStopError,
  toPrepareStep,
  toStreamTransform,
  withGuards,
  type GuardedRunEvent,
} from '../../src/ai-sdk/index.js';
import { guardsOf } from './guards.js';
import { guarded, type Rule, type Script } from './script.js';
import { failed, inOrder, pageOfResult, type Observed } from './seen.js';
import { answerSchema, description, fileText, inputSchema, worldOf } from './world.js';

/** The fields of a step in the AI SDK's results. */
interface Step {
  readonly text: string;
  readonly reasoningText?: string | undefined;
  readonly files: readonly { readonly base64: string }[];
  readonly toolCalls: readonly { readonly input: unknown }[];
  readonly content: readonly { readonly type: string; readonly output?: unknown }[];
  readonly sources: readonly { readonly title?: string | undefined }[];
  readonly finishReason: string;
  readonly usage: { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined };
}

interface Answer {
  readonly steps: readonly Step[];
  /** Throws if no object was made. */
  readonly output: unknown;
}

/** Collects the words and objects of a stream. */
interface Emissions {
  readonly words: string[];
  readonly objects: unknown[];
}

interface Streamed {
  readonly fullStream: AsyncIterable<{ readonly type: string; readonly text?: string; readonly error?: unknown }>;
  readonly steps: PromiseLike<readonly Step[]>;
  readonly output: PromiseLike<unknown>;
  readonly partialOutputStream: AsyncIterable<unknown>;
}

interface Settings {
  readonly model: never;
  readonly tools: ToolSet;
  readonly prompt: string;
  readonly guards: never;
  readonly options: Parameters<typeof createGuardedRun>[1];
  readonly output: never;
}

/** A way to run guarded steps with the AI SDK: it returns the answer, and records the released words. */
export type SdkWay = (settings: Settings, emissions: Emissions) => Promise<Answer>;

const loopSettings = { maxRetries: 0, stopWhen: isStepCount(8) };

const untold = () => undefined; // errors are read from the stream

const readAll = async (streamed: Streamed, requestsObject: boolean, emissions: Emissions): Promise<Answer> => {
  const { fullStream, steps, output, partialOutputStream } = streamed;
  const settled = Promise.allSettled([steps, output]);
  const partialObjects = requestsObject && readObjects(partialOutputStream, emissions.objects).catch(untold); // it ends with the stream
  const errors: unknown[] = [];
  for await (const part of fullStream) {
    if (part.type === 'text-delta') emissions.words.push(part.text ?? '');
    if (part.type === 'error') errors.push(part.error);
  }
  await settled;
  await partialObjects;
  if (errors.length > 0) throw errors[0];
  return { steps: await steps, output: requestsObject ? await output : undefined };
};

const readObjects = async (from: AsyncIterable<unknown>, into: unknown[]): Promise<void> => {
  for await (const one of from) into.push(one);
};

const loopOf = ({ model, tools, guards, options, output }: Settings) =>
  guardedToolLoop({ ...loopSettings, model, tools, output, guards, guardOptions: options });

/** The parts of a call that one adapter guards. */
type Adapter = (settings: Settings, options: object) => object;

/** Each adapter alone, and its hooks. */
const adapters = {
  withGuards: ({ model, guards }: Settings, options) => ({ model: withGuards(model, guards, options) }),
  toPrepareStep: ({ guards }: Settings, options) => ({ prepareStep: toPrepareStep(guards, options) }),
  guardTools: ({ tools, guards }: Settings, options) => ({ tools: guardTools(tools, guards, options) }),
  toStreamTransform: ({ guards }: Settings, options) => ({ experimental_transform: toStreamTransform(guards, options) }),
} satisfies Record<string, Adapter>;

const phasesOf: Record<keyof typeof adapters, readonly Rule['phase'][]> = {
  withGuards: ['input', 'inputStep', 'llmRequest', 'apiError', 'outputStream', 'llmResponse', 'outputStep', 'outputResult'],
  toPrepareStep: ['input', 'inputStep'],
  guardTools: ['toolResult'],
  toStreamTransform: ['outputStream'],
};

const inOneOf = (rule: Rule, phases: readonly Rule['phase'][]): Rule =>
  phases.includes(rule.phase) ? rule : { ...rule, phase: phases[guarded.indexOf(rule.phase) % phases.length] as Rule['phase'] }; // it has some

const alone = (adapter: keyof typeof adapters, isStream: boolean): SdkHost => ({
  isStream,
  adapter,
  of: ({ rules, redacts, ...one }) => {
    const own = { ...one, rules: rules.map((rule) => inOneOf(rule, phasesOf[adapter])) };
    // Each call of a guarded model is a run, and the redactor reads what any adapter gives it.
    const isOneStep = adapter === 'withGuards' || (adapter === 'toStreamTransform' && redacts);
    return { ...own, redacts: redacts && isOneStep, opening: isOneStep ? [] : one.opening };
  },
  run: async (settings, emissions) => {
    const { model, tools, prompt, output, options = {} } = settings;
    const uncalled = guarded.filter((phase) => !phasesOf[adapter].includes(phase));
    const call = { ...loopSettings, model, tools, prompt, output, ...adapters[adapter](settings, { ...options, uncalled }) };
    if (!isStream) return generateText(call);
    return readAll(streamText({ ...call, onError: untold }), output !== undefined, emissions);
  },
});

export interface SdkHost {
  readonly isStream: boolean;
  /** The adapter that is used alone. */
  readonly adapter?: keyof typeof adapters;
  /** Its part of a script. Default: all of it. */
  readonly of?: (one: Script) => Script;
  readonly run: SdkWay;
}

export const sdkWays: Readonly<Record<string, SdkHost>> = {
  'guardedToolLoop, generate': {
    isStream: false,
    run: async (settings) => loopOf(settings).generate({ prompt: settings.prompt }) as never,
  },
  'guardedToolLoop, stream': {
    isStream: true,
    run: async (settings, emissions) =>
      readAll((await loopOf(settings).stream({ prompt: settings.prompt })) as never, settings.output !== undefined, emissions),
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
    run: async ({ guards, options, ...settings }, emissions) => {
      const run = createGuardedRun(guards, options);
      const transform = { experimental_transform: toStreamTransform(run), onError: untold };
      const answer = await readAll(
        streamText({ ...loopSettings, ...settings, ...guardSettings(settings, run), ...transform }),
        settings.output !== undefined,
        emissions,
      );
      await run.finish();
      return answer;
    },
  },
  'generateText with withGuards alone': alone('withGuards', false),
  'streamText with withGuards alone': alone('withGuards', true),
  'generateText with toPrepareStep alone': alone('toPrepareStep', false),
  'streamText with toPrepareStep alone': alone('toPrepareStep', true),
  'generateText with guardTools alone': alone('guardTools', false),
  'streamText with guardTools alone': alone('guardTools', true),
  'streamText with toStreamTransform alone': alone('toStreamTransform', true),
};

const stepOf = (step: Step): unknown => ({
  text: step.text,
  reasoning: step.reasoningText ?? '',
  files: step.files.map(({ base64 }) => fileText(base64)),
  toolCalls: step.toolCalls.map(({ input }) => JSON.stringify(input)),
  toolResults: step.content.flatMap(({ type, output }) => (type === 'tool-result' ? [JSON.stringify(output)] : [])).toSorted(),
  sources: step.sources.map(({ title }) => title),
  finishReason: step.finishReason,
  usage: [step.usage.inputTokens, step.usage.outputTokens],
});

/** By default an agent's stream is held if a guard judges the result. */
const holdOf = (hold: Script['hold']): 'chunk' | 'step' | undefined => {
  if (hold === 'none') return 'chunk';
  return hold === 'step' ? hold : undefined;
};

/** A run in the AI SDK, as seen by a reader of its result. */
export const onSdk =
  ({ run, isStream }: SdkHost) =>
  async (one: Script): Promise<Observed> => {
    const { model, execute, seen } = worldOf(one, 'v4');
    const events: GuardedRunEvent[] = [];
    const emissions: Emissions = { words: [], objects: [] };
    const settings: Settings = {
      model: model as never,
      tools: { charge: tool({ description, inputSchema, execute }) },
      prompt: one.request.join(' '),
      guards: guardsOf(one).list as never, // of drawn guards
      output: (one.requestsObject ? Output.object({ schema: jsonSchema(answerSchema as never) }) : undefined) as never,
      options: {
        maxProcessorRetries: one.budget,
        maxErrorRetries: one.budget,
        hold: isStream ? holdOf(one.hold) : undefined,
        onEvent: (event) => void events.push(event),
      },
    };
    const ended = await run(settings, emissions).then(
      ({ steps, output }) => ({
        end: ['success'],
        steps: steps.map(stepOf),
        text: steps.map(({ text }) => text).join(''),
        object: one.requestsObject ? output : undefined,
      }),
      (error: Error) => {
        const isTripwire = isStopError(error) && error.name === 'TripwireError';
        const end = isTripwire ? ['tripwire', error.reason, error.processorId, error.phase] : failed(error);
        return { end, steps: [], text: '', object: undefined };
      },
    );
    const { text, object, ...rest } = ended;
    const verdicts = inOrder(events.filter((event) => event.type === 'guard'));
    const words = isStream ? emissions.words.join('') : text;
    const objects = [object, isStream ? emissions.objects.at(-1) : object];
    return { ...rest, emitted: words, page: pageOfResult(words, rest.steps), objects, ...seen(), verdicts, saved: [] };
  };
