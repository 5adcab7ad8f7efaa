import { setImmediate } from 'node:timers/promises';
import type { Processor } from '@mastra/core/processors';
import { generateText, isStepCount, streamText, tool, type ChatState, type LanguageModel, type UIMessage } from 'ai';
import { z } from 'zod';
import {
  createGuardedRun,
  guardedToolLoop,
  guardSettings,
  isStopError,
  toStreamTransform,
  type GuardedRunEvent,
  type GuardOptions,
} from '../../src/ai-sdk/index.js';
import { phaseNames } from '../../src/phase/table.js';
import { phases, type Phase, type PipelineStep } from '../../src/index.js';
import { scriptedModel, type ScriptedCall, type ScriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import { isWhole } from '../modes.js';

// --- The cases of every suite. ---

/** The AI SDK's entry points, all of them completely guarded. */
export const ways = ['generateText', 'streamText', 'agent.generate', 'agent.stream'] as const;
export type Way = (typeof ways)[number];

export const isStreamed = (way: Way): boolean => way === 'streamText' || way === 'agent.stream';

/** A call of a function in one way and a stream of an agent, or the reverse; in turn, or all four. */
export const waysInTurn = (turn: number): Way[] =>
  ways.filter((way) => isWhole || (way === 'generateText' || way === 'agent.stream') === (turn % 2 === 0));

/** Every hook of the phase table in two of the ways, for `describe.each`. */
export const everyHook = phaseNames.flatMap((phase, turn) =>
  waysInTurn(turn).map((way) => ({ phase, hook: phases[phase].hook, way })),
);

// --- Guards. ---

interface HookMessage {
  id: string;
  role: string;
  content: { parts: { type: string; text?: string }[] };
}

/** The arguments of any hook that these tests read. */
export interface HookArgs {
  abort(reason?: string, options?: { retry?: boolean; metadata?: unknown }): never;
  readonly state: Record<string, unknown>;
  readonly retryCount: number;
  readonly stepNumber?: number;
  readonly part?: Chunk;
  readonly text?: string;
  readonly args?: unknown;
  readonly messages?: HookMessage[];
  readonly messageList?: { readonly get: { readonly all: { db(): HookMessage[] } } };
  readonly abortSignal?: AbortSignal;
  readonly writer?: { custom(part: object): Promise<void> };
}

export interface Chunk {
  type: string;
  payload?: unknown;
}

const hasText = ({ part }: HookArgs): boolean => !part || part.type === 'text-delta';

export interface OnOptions {
  id?: string;
  /** Selects the calls on which it acts. Default: all; in the stream those with text. */
  when?: (args: HookArgs) => boolean;
  /** The number of calls on which it acts. Default: all. */
  times?: number;
}

/** A guard with the hook of one phase: it runs `act` on the selected calls, and changes nothing in others. */
export const guardOn = (phase: Phase, act: (args: HookArgs) => unknown, options: OnOptions = {}): Processor => {
  const { id = `guard-${phase}`, when = hasText, times = Infinity } = options;
  let remaining = times;
  const hook = async (args: HookArgs): Promise<unknown> => {
    if (remaining <= 0 || !when(args)) return args.part;
    remaining -= 1;
    const left = await act(args);
    return left === undefined ? args.part : left;
  };
  return { id, [phases[phase].hook]: hook };
};

export const tripping = (phase: Phase, options?: OnOptions): Processor =>
  guardOn(phase, ({ abort }) => abort('blocked', { metadata: { by: phase } }), options);

/** A guard that requests a retry of each failed call. */
export const recovering = (): Processor => ({ id: 'recovering', processAPIError: () => ({ retry: true }) });

// --- The model and its tools. ---

export type Step = ScriptedStep<'v4'>;

/** The first answer: words and two tool calls. */
export const opening: Step = {
  text: ['I will ', 'charge you. '],
  toolCalls: [
    { name: 'charge', args: { amount: 1 } },
    { name: 'charge', args: { amount: 2 } },
  ],
};
/** The last answer. */
export const closing: Step = { text: ['All is ', 'paid.'] };

export const toolResultsIn = ({ prompt }: Pick<ScriptedCall<'v4'>, 'prompt'>): number =>
  prompt.flatMap((message) => (message.role === 'tool' ? message.content : [])).length;

/** A model that calls two tools and then sums up; for the error phase its first call fails. */
export const modelFor = (phase: Phase, steps: { opening?: Step; closing?: Step } = {}): ScriptedModel<'v4'> =>
  scriptedModel({
    specificationVersion: 'v4',
    steps: (call) => {
      if (phase === 'apiError' && call.index === 0) return { error: new Error('The provider is out of order.') };
      return toolResultsIn(call) === 0 ? (steps.opening ?? opening) : (steps.closing ?? closing);
    },
  });

/** Tools with an effect: they charge an amount. */
export const createTools = (log: string[]) => ({
  charge: tool({
    description: 'Charges an amount.',
    inputSchema: z.object({ amount: z.number() }),
    execute: async ({ amount }) => {
      log.push(`charge ${amount}`);
      await setImmediate(); // long enough for the other calls of the step to start
      return { receipt: `receipt ${amount}` };
    },
  }),
});

// --- A run and its records. ---

export interface RunSetup {
  guards: readonly PipelineStep[];
  model: LanguageModel;
  log?: string[];
  maxSteps?: number;
  /** Further settings of the call. */
  settings?: object;
  /** Settings that an agent accepts in a call only. */
  callSettings?: object;
  guardOptions?: Omit<GuardOptions, 'onEvent' | 'abortSignal'>;
  abortSignal?: AbortSignal;
}

export interface Ran {
  /** The result for the caller; undefined after an error. */
  readonly result:
    | { text: string; finishReason: string; steps: readonly { text: string; toolResults: readonly unknown[] }[] }
    | undefined;
  readonly error: unknown;
  /** The streamed parts. */
  readonly parts: readonly { type: string; text?: string; [field: string]: unknown }[];
  readonly events: readonly GuardedRunEvent[];
  /** Texts that callbacks of the application received. */
  readonly callbackTexts: readonly string[];
}

/** Runs to the end in one of the ways, and collects all visible output. */
export const runGuarded = async (way: Way, setup: RunSetup): Promise<Ran> => {
  const { guards, model, log = [], maxSteps = 5, settings, callSettings, guardOptions, abortSignal } = setup;
  const events: GuardedRunEvent[] = [];
  const parts: Ran['parts'][number][] = [];
  const callbackTexts: string[] = [];
  const options = { window: 'delta' as const, ...guardOptions, onEvent: (event: GuardedRunEvent) => void events.push(event) };
  const logText = ({ text }: { text: string }) => void callbackTexts.push(text);
  const base = {
    model,
    tools: createTools(log),
    stopWhen: isStepCount(maxSteps),
    maxRetries: 0,
    onStepFinish: logText,
    onFinish: logText,
    onError: () => undefined,
    ...settings,
  };
  const prompt = 'Please charge me.';
  const run = createGuardedRun(guards, { ...options, abortSignal });
  const guarded = { ...base, ...callSettings, ...guardSettings(base, run), prompt, abortSignal };
  const agent = () => guardedToolLoop({ ...base, guards, guardOptions: options });
  const gather = async (stream: ReturnType<typeof streamText>): Promise<Ran['result']> => {
    for await (const part of stream.fullStream) parts.push(part);
    return { text: await stream.text, finishReason: await stream.finishReason, steps: await stream.steps };
  };
  const calls: Record<Way, () => Promise<unknown>> = {
    generateText: async () => {
      const result = await generateText(guarded);
      await run.finish();
      return result;
    },
    streamText: () => gather(streamText({ ...guarded, experimental_transform: toStreamTransform(run) as never }) as never),
    'agent.generate': async () => agent().generate({ ...callSettings, prompt, abortSignal }),
    'agent.stream': async () => gather((await agent().stream({ ...callSettings, prompt, abortSignal })) as never),
  };
  try {
    const { text, finishReason, steps } = (await calls[way]()) as NonNullable<Ran['result']>;
    return { result: { text, finishReason, steps }, error: undefined, parts, events, callbackTexts };
  } catch (error) {
    return { result: undefined, error, parts, events, callbackTexts };
  }
};

/** The status of a run in Interlock's terms. */
export const statusOf = ({ error }: Ran): 'success' | 'tripwire' | 'failed' => {
  if (error === undefined) return 'success';
  return isStopError(error) && error.name === 'TripwireError' ? 'tripwire' : 'failed';
};

export const partsOf = ({ parts }: Pick<Ran, 'parts'>, type: string) => parts.filter((part) => part.type === type);

/** The text that left. */
export const textOnWire = (ran: Pick<Ran, 'parts'>): string =>
  partsOf(ran, 'text-delta')
    .map(({ text }) => text)
    .join('');

/** The state of a page. */
export const createPageState = (): ChatState<UIMessage> => ({
  status: 'ready',
  error: undefined,
  messages: [],
  pushMessage(message) {
    this.messages = [...this.messages, message];
  },
  popMessage() {
    this.messages = this.messages.slice(0, -1);
  },
  replaceMessage(index, message) {
    this.messages = this.messages.with(index, message);
  },
  snapshot: structuredClone,
});
