import { setImmediate } from 'node:timers/promises';

import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

import {
  InterlockAgent,
  phases,
  pipeline,
  type InterlockCallOptions,
  type InterlockResult,
  type Phase,
  type PipelineStep,
  type RunEvent,
  type RunStatus,
} from '../../src/index.js';
import { phaseNames } from '../../src/phase/table.js';
import type { InterlockConfig } from '../../src/mastra/agent/config.js';
import { scriptedModel, type ScriptedCall, type ScriptedModel, type ScriptedStep } from '../../src/testing/index.js';

// --- The cases of every suite. ---

export const modes = ['generate', 'stream'] as const;
export type Mode = (typeof modes)[number];

/** Every hook of the phase table in both modes, for `describe.each`. */
export const everyHook = phaseNames.flatMap((phase, row) =>
  modes.map((mode, column) => ({ phase, hook: phases[phase].hook, mode, turn: row + column })),
);

/** The position of a guard among others: alone in its array, in a committed pipeline, or deep inside one. */
export const wirings = ['alone', 'pipeline', 'nested'] as const;
export type Wiring = (typeof wirings)[number];

// --- Guards. ---

/** The arguments of any hook that these tests read. */
export interface HookArgs {
  abort(reason?: string, options?: { retry?: boolean; metadata?: unknown }): never;
  readonly retryCount: number;
  readonly stepNumber?: number;
  readonly part?: Chunk;
  readonly text?: string;
  readonly toolCalls?: readonly { toolName: string; args: unknown }[];
  readonly args?: unknown;
  readonly abortSignal?: AbortSignal;
  readonly writer?: { custom(chunk: Chunk): Promise<void> };
  readonly messageList: { addSystem(text: string): void };
}

export interface Chunk {
  type: string;
  payload?: unknown;
  data?: unknown;
}

export interface GuardOptions {
  id?: string;
  /** Selects the calls on which it acts. Default: all; in the stream those with text. */
  when?: (args: HookArgs) => boolean;
  /** The number of calls on which it acts. Default: all. */
  times?: number;
  processDataParts?: boolean;
}

const hasText = ({ part }: HookArgs): boolean => !part || part.type === 'text-delta';

/** A guard with the hook of one phase: it runs `act` on the selected calls, and changes nothing in others. */
export const guardOn = (phase: Phase, act: (args: HookArgs) => unknown, options: GuardOptions = {}): Processor => {
  const { id = `guard-${phase}`, when = hasText, processDataParts, times = Infinity } = options;
  let remaining = times;
  const hook = (args: HookArgs): unknown => {
    if (remaining <= 0 || !when(args)) return args.part;
    remaining -= 1;
    const acted = act(args);
    return acted instanceof Promise ? acted.then((value: unknown) => value ?? args.part) : (acted ?? args.part);
  };
  return { id, processDataParts, [phases[phase].hook]: hook };
};

/** A guard that does nothing. */
export const calm = (phase: Phase, id: string): Processor => guardOn(phase, () => undefined, { id });

/** A guard that requests a retry of each failed call. */
export const recovering = (): Processor => ({ id: 'recovering', processAPIError: () => ({ retry: true }) });

/** A guard in the form for its array. */
export const wire = (phase: Phase, guard: Processor, wiring: Wiring): PipelineStep[] => {
  switch (wiring) {
    case 'alone':
      return [guard];
    case 'pipeline':
      return [pipeline('house').then(guard).commit()];
    case 'nested': {
      const room = pipeline('room').then(guard);
      return [
        pipeline('house')
          .then(calm(phase, 'before'))
          .parallel([room, calm(phase, 'beside')])
          .commit(),
      ];
    }
    default:
      return wiring satisfies never;
  }
};

/** Guards in the arrays of their phases. */
export const laned = (...placed: readonly [phase: Phase, ...steps: PipelineStep[]][]): InterlockConfig => {
  const lane = (name: string) => placed.filter(([phase]) => phases[phase].lane === name).flatMap(([, ...steps]) => steps);
  const [inputProcessors, outputProcessors, errorProcessors] = [lane('input'), lane('output'), lane('error')];
  return { inputProcessors, outputProcessors, errorProcessors };
};

// --- The agent and its model. ---

/** A step of the model's script. */
export type Step = ScriptedStep<'v2'>;

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

/** The number of tool results in a model call. */
export const toolResultsIn = ({ prompt }: Pick<ScriptedCall<'v2'>, 'prompt'>): number =>
  prompt.flatMap((message) => (message.role === 'tool' ? message.content : [])).length;

/**
 * A model that calls two tools and then sums up, in any number of runs; for the error phase its first call fails, so that
 * a run meets every tested hook.
 */
export const modelFor = (phase: Phase, steps: { opening?: Step; closing?: Step } = {}): ScriptedModel =>
  scriptedModel({
    steps: (call) => {
      if (phase === 'apiError' && call.index === 0) return { error: new Error('The provider is out of order.') };
      return toolResultsIn(call) === 0 ? (steps.opening ?? opening) : (steps.closing ?? closing);
    },
  });

export interface AgentOptions extends InterlockConfig {
  model: ScriptedModel;
  /** Gets every effect of a tool. */
  log?: string[];
  [option: string]: unknown;
}

/** An agent with a tool that has an effect: it charges an amount. By default it sends single chunks at once, as Mastra's agent does. */
export const createAgent = ({ log = [], ...config }: AgentOptions): InterlockAgent => {
  const charge = createTool({
    id: 'charge',
    description: 'Charges an amount.',
    inputSchema: z.object({ amount: z.number(), to: z.string().optional() }),
    execute: async ({ amount }: { amount: number }) => {
      log.push(`charge ${amount}`);
      await setImmediate(); // long enough for the other calls of the step to start
      return { receipt: `receipt ${amount}` };
    },
  });
  return new InterlockAgent({
    id: 'cashier',
    name: 'Cashier',
    instructions: 'Charge people.',
    tools: { charge },
    hold: 'none',
    window: 'delta',
    ...config,
  });
};

// --- A run and its records. ---

export interface Ran {
  readonly status: RunStatus;
  /** The result of `generate` or `getFullOutput`; undefined if they rejected. */
  readonly result: InterlockResult | undefined;
  readonly error: unknown;
  readonly chunks: readonly Chunk[];
  readonly events: readonly RunEvent[];
}

/** Runs an agent to its end in either mode and collects chunks, events, result and error. */
export const runAgent = async (agent: InterlockAgent, mode: Mode, options: InterlockCallOptions = {}): Promise<Ran> => {
  const chunks: Chunk[] = [];
  const events: RunEvent[] = [];
  const take = (chunk: unknown) => void chunks.push(chunk as Chunk); // the chunks of Mastra's stream
  const call = { ...options, onRunEvent: (event: RunEvent) => void events.push(event) };
  const settled = await (mode === 'generate' ? generateWith(agent, call, take) : streamWith(agent, call, take)).then(
    (result) => ({ result, error: undefined }),
    (error: unknown) => ({ result: undefined, error }),
  );
  return { status: finishOf(events).status, ...settled, chunks, events };
};

type Take = (chunk: unknown) => void;

const generateWith = (agent: InterlockAgent, options: InterlockCallOptions, onChunk: Take): Promise<InterlockResult> =>
  agent.generate('Please charge me.', { ...options, onChunk });

const streamWith = async (agent: InterlockAgent, options: InterlockCallOptions, take: Take): Promise<InterlockResult> => {
  const stream = await agent.stream('Please charge me.', options);
  for await (const chunk of stream.fullStream) take(chunk);
  return stream.getFullOutput();
};

/** Reads a stream of Mastra's to its end; its chunks are typed wider than these tests read them. */
export const readAll = async <T = Chunk>(stream: unknown): Promise<T[]> => {
  const all: T[] = [];
  for await (const one of stream as AsyncIterable<T>) all.push(one);
  return all;
};

type Finish = Extract<RunEvent, { type: 'run-finish' }>;

/** The event of a run's end; there is one, and it is the last. */
export const finishOf = (events: readonly RunEvent[]): Finish => {
  const last = events.at(-1);
  if (last?.type !== 'run-finish') throw new Error(`The run ends with ${last?.type ?? 'no event'}.`);
  return last;
};

/** The events of one type. */
export const eventsOf = <T extends RunEvent['type']>({ events }: Pick<Ran, 'events'>, type: T) =>
  events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);

export const chunksOf = ({ chunks }: Pick<Ran, 'chunks'>, type: string): Chunk[] => chunks.filter((chunk) => chunk.type === type);

/** The retractions on the wire, chunk by chunk. */
export const retractionsOf = (ran: Pick<Ran, 'chunks'>) =>
  chunksOf(ran, 'data-interlock-retract').map(({ data }) => data as { partIds: string[]; attempt: number; stepNumber: number });

/** The text that left, retracted or not. */
export const textOnWire = (ran: Pick<Ran, 'chunks'>): string =>
  chunksOf(ran, 'text-delta')
    .map(({ payload }) => (payload as { text: string }).text)
    .join('');
