import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from '@mastra/core/agent';
import { ProcessorStepSchema, type OutputProcessorOrWorkflow, type Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { guard, InterlockAgent, pipeline } from '../src/index.js';
import { scriptedModel } from '../src/testing/index.js';
import { redactor } from '../workflows/guards/index.js';
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

const workflowOf = (processors: readonly object[]): OutputProcessorOrWorkflow => {
  const workflow = createWorkflow({ id: 'guards', inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema });
  for (const processor of processors) workflow.then(createStep(processor as never) as never);
  return workflow.commit() as unknown as OutputProcessorOrWorkflow;
};

const pipelineOf = (guards: readonly Processor[]) => {
  const empty = pipeline('guards');
  for (const one of guards) empty.then(one);
  return empty.commit();
};

const kinds = ['email', 'card', 'iban'] as const;

/** The arrangements of an agent's guards: an array, a workflow, parallel, or with a window. */
const shapes = {
  array: (guards: readonly Processor[]) => guards,
  workflow: (guards: readonly Processor[]) => [workflowOf(guards)],
  pipeline: pipelineOf,
  parallel: (guards: readonly Processor[]) => pipeline('guards').parallel(guards).commit(),
  sentence: (guards: readonly Processor[]) => guards.map((one) => guard(one, { window: 'sentence' })),
  delta: (guards: readonly Processor[]) => guards.map((one) => guard(one, { window: 'delta' })),
  redactors: (guards: readonly Processor[]) =>
    guards.map((_, n) => redactor({ id: `redactor-${n}`, strategy: 'mask', kinds: [kinds[n % kinds.length] ?? 'email'] })),
} as const;

export type ShapeName = keyof typeof shapes;

/** Stream guards in one of the arrangements. */
export const shapedGuards = (shape: ShapeName, guards: number) => shapes[shape](streamGuards(guards));

type Make = new (config: never) => unknown;
const agents = { interlock: InterlockAgent as Make, mastra: Agent as Make } as const; // both take the same configuration
export type AgentName = keyof typeof agents;

interface Subject {
  stream(
    prompt: unknown,
    options?: object,
  ): Promise<{ fullStream: AsyncIterable<{ type: string; payload?: { text?: string } }> }>;
  generate(prompt: unknown, options: object): Promise<{ steps: readonly unknown[] }>;
}

/** An agent of ours or a stock one; both take the same configuration. */
export const agentOf = (name: AgentName, model: BenchModel, config: object = {}): Subject =>
  new agents[name]({
    id: 'bench',
    name: 'bench',
    instructions: 'Be brief.',
    model: model.forMastra,
    ...config,
  } as never) as never;

/** Options of Interlock with which guards see single deltas, and nothing waits for guards of the whole answer. */
const asInMastra = { hold: 'none', window: 'delta' } as const;

export interface Line {
  readonly agent: AgentName;
  readonly shape: ShapeName;
  readonly guards: number;
}

/**
 * One streamed answer, read to its end. Guards see single deltas, as in Mastra, but for the shapes with the default window, which joins
 * deltas: so text is counted in deltas of the model.
 */
export const streamed =
  ({ agent: name, shape, guards }: Line) =>
  (chunks: number): Work => {
    const answer = textAnswer(chunks);
    const model = benchModel(() => answer);
    const hasWindow = shape === 'sentence' || shape === 'redactors';
    const own = name === 'interlock' && !hasWindow && asInMastra;
    const agent = agentOf(name, model, { outputProcessors: shapedGuards(shape, guards), ...own });
    return async () => {
      const { fullStream } = await agent.stream('Say it.');
      if (!hasWindow) return countDeltas(fullStream);
      let chars = 0;
      for await (const { type, payload } of fullStream) if (type === 'text-delta') chars += payload?.text?.length ?? 0;
      return answer.chars === chars ? chunks : NaN;
    };
  };

/** A tool loop of the given number of steps and previous messages: its result, or its stream read to the end. */
export const stepped =
  ({ agent: name, shape, guards }: Line, isStreamed = false) =>
  (steps: number, messages = 1): Work => {
    const processors = shapes[shape](stepGuards(guards));
    const tools = { echo: createTool({ id: 'echo', ...echo }) };
    const agent = agentOf(name, benchModel(stepAnswers(steps)), {
      inputProcessors: processors,
      outputProcessors: processors,
      tools,
    });
    const conversation = history(messages);
    const generated = async () => (await agent.generate(conversation, { maxSteps: steps })).steps.length;
    return isStreamed ? async () => countSteps((await agent.stream(conversation, { maxSteps: steps })).fullStream) : generated;
  };

/** A tool loop with results of 2 kB, under guards that get all of them. */
export const withResults =
  (name: AgentName) =>
  (steps: number): Work => {
    const outputProcessors = stepGuards(3).map((one) => ({ ...one, processToolResult: async () => undefined }));
    const text = 'It has not arrived. '.repeat(100);
    const tools = { echo: createTool({ id: 'echo', ...echo, execute: async ({ n }) => ({ n, text }) }) };
    const agent = agentOf(name, benchModel(stepAnswers(steps)), { outputProcessors, tools });
    return async () => (await agent.generate(history(1), { maxSteps: steps })).steps.length;
  };

/** A run whose tool returns a table of the given number of rows twice, under guards that read each row. */
export const withRows =
  (name: AgentName, guards: number) =>
  (rows: number): Work => {
    const table = Array.from({ length: rows }, (_, id) => ({ id, name: `Customer ${id}`, tags: ['new', 'paid'] }));
    const processToolResult = async ({ result }: { result: unknown }) => {
      let seen = 0;
      for (const { tags } of result as typeof table) seen += tags.length;
      if (seen !== 2 * rows) throw new Error('The guard got another table.');
    };
    const outputProcessors = Array.from({ length: guards }, (_, n) => ({ id: `guard-${n}`, processToolResult }));
    const tools = { echo: createTool({ id: 'echo', ...echo, execute: async () => table }) };
    const agent = agentOf(name, benchModel(stepAnswers(3)), { outputProcessors, tools });
    return async () => ((await agent.generate(history(1), { maxSteps: 3 })).steps.length === 3 ? rows : NaN);
  };

// --- The defaults: what they cost, and how long they hold the beginning of an answer. ---

/** A guard that sees the whole answer only. */
const ofAnswer: Processor = { id: 'of-answer', processOutputResult: async ({ messages }) => messages };

const defaultConfigs = {
  defaults: {},
  'hold none': { hold: 'none' },
  'single deltas': { window: 'delta' },
  'hold none and single deltas': asInMastra,
  'defaults with a guard of the answer': {},
  'hold none with a guard of the answer': { hold: 'none' },
} as const;

export type DefaultName = keyof typeof defaultConfigs;

const agentWith = (name: DefaultName, guards: number, model: BenchModel): Subject => {
  const last = name.endsWith('of the answer') ? [ofAnswer] : [];
  return agentOf('interlock', model, { ...defaultConfigs[name], outputProcessors: [...streamGuards(guards), ...last] });
};

/** One streamed answer; guards join deltas, so its text is counted in deltas of the model. */
export const withDefaults =
  (name: DefaultName, guards: number) =>
  (chunks: number): Work => {
    const answer = textAnswer(chunks);
    const agent = agentWith(
      name,
      guards,
      benchModel(() => answer),
    );
    return async () => {
      let chars = 0;
      for await (const { type, payload } of (await agent.stream('Say it.')).fullStream)
        if (type === 'text-delta') chars += payload?.text?.length ?? 0;
      return answer.chars === chars ? chunks : NaN;
    };
  };

/** How much of an answer the model had sent when the first text came out: deltas and characters. */
export const held = async (name: DefaultName, guards: number): Promise<Record<string, number>> => {
  let deltas = 0;
  let chars = 0;
  const answer = textAnswer(200);
  const parts = {
    *[Symbol.iterator]() {
      for (const part of answer.parts) {
        if (part.type === 'text-delta') [deltas, chars] = [deltas + 1, chars + String(part['delta']).length];
        yield part;
      }
    },
  };
  const agent = agentWith(
    name,
    guards,
    benchModel(() => ({ ...answer, parts })),
  );
  for await (const { type } of (await agent.stream('Say it.')).fullStream) if (type === 'text-delta') return { deltas, chars };
  throw new Error(`${name}: the answer had no text.`);
};

// --- Waiting: slow guards, in parallel with the model or before it. ---

const guardMs = 200;
const judgeMs = 50;

interface Waiting {
  readonly agent: AgentName;
  readonly overlap?: boolean;
  readonly window?: 'chunk' | 'sentence';
}

const slowGuard = (id: string, overlap = false): Processor => {
  if (overlap)
    return guard(
      {
        id,
        processInput: async () => {
          await sleep(guardMs);
        },
      },
      { overlap },
    );
  return { id, processInput: async ({ messages }) => (await sleep(guardMs), messages) };
};

/** Milliseconds from the call to the first word, with two guards of the input that take 200 ms each. */
export const firstWord = async ({ agent: name, overlap }: Waiting): Promise<Record<string, number>> => {
  const model = { forMastra: scriptedModel({ steps: () => ({ text: ['Fine.'] }) }) } as unknown as BenchModel; // a model of Mastra's
  const agent = agentOf(name, model, { inputProcessors: ['a', 'b'].map((id) => slowGuard(id, overlap)) });
  const once = async (): Promise<number> => {
    const from = performance.now();
    for await (const { type } of (await agent.stream('Say it.')).fullStream) if (type === 'text-delta') break;
    return performance.now() - from;
  };
  await once();
  return { ms: await once() };
};

/** Sixty deltas in six sentences, one each 5 ms, and a judge of 50 ms: milliseconds over the model alone, and the number of judge calls. */
export const judged = async ({ agent: name, window }: Waiting): Promise<Record<string, number>> => {
  const text = Array.from({ length: 60 }, (_, n) => (n % 10 === 9 ? `end ${n}. ` : `Word ${n} `));
  const model = { forMastra: scriptedModel({ steps: () => ({ text, delayMs: 5 }) }) } as unknown as BenchModel; // a model of Mastra's
  let calls = 0;
  const judge: Processor = {
    id: 'judge',
    processOutputStream: async ({ part }) => {
      if (part.type !== 'text-delta') return part;
      calls += 1;
      await sleep(judgeMs);
      return part;
    },
  };
  const timeOf = async (outputProcessors: readonly Processor[]): Promise<number> => {
    const from = performance.now();
    await countDeltas((await agentOf(name, model, { outputProcessors }).stream('Say it.')).fullStream);
    return performance.now() - from;
  };
  const guards = [window ? guard(judge, { window }) : judge];
  await timeOf(guards); // loads everything, the rules of sentences too
  calls = 0;
  const alone = await timeOf([]);
  return { ms: (await timeOf(guards)) - alone, calls };
};
