import { setImmediate } from 'node:timers/promises';

import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { isStepCount, tool as sdkTool } from 'ai';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { guardedToolLoop, isStopError } from '../../src/ai-sdk/index.js';
import {
  guard,
  InterlockAgent,
  memoryEngine,
  phases,
  pipeline,
  type InterlockResult,
  type Pipeline,
  type PipelineStep,
} from '../../src/index.js';
import type { InterlockConfig } from '../../src/mastra/agent/config.js';
import { scriptedModel } from '../../src/testing/index.js';
import { times } from '../modes.js';
import { laned } from '../promises/support.js';

const words = ['alpha', 'bravo', 'charlie', 'dutch'] as const;
const guarded = [
  'input',
  'inputStep',
  'llmRequest',
  'outputStream',
  'llmResponse',
  'outputStep',
  'toolResult',
  'outputResult',
] as const;

/** A guard of one phase: it acts on its word. */
const rule = fc.record({
  phase: fc.constantFrom(...guarded),
  word: fc.constantFrom(...words),
  act: fc.constantFrom('pass' as const, 'edit' as const, 'trip' as const, 'retry' as const, 'fail' as const),
  isSlow: fc.boolean(),
  /** The number of retries that it requests. */
  asks: fc.integer({ min: 1, max: 2 }),
  window: fc.constantFrom(undefined, 'chunk' as const, 'sentence' as const, 'part' as const),
});
type Rule = typeof rule extends fc.Arbitrary<infer T> ? T : never;

/** The model's output in a step, delta by delta, for each attempt: the last list repeats. */
const texts = fc.array(fc.array(fc.constantFrom(...words, 'calm', 'calm'), { maxLength: 4 }), { minLength: 1, maxLength: 2 });

/**
 * In generate mode a text is one chunk. The guard that stops it may then depend on the mode, unless
 * both guards have windows that do not depend on chunks.
 */
const inWindows = (rules: readonly Rule[]): readonly Rule[] => {
  const isAlone = rules.filter(({ phase }) => phase === 'outputStream').length < 2;
  return rules.map((one) => (isAlone || one.window === 'part' ? one : { ...one, window: 'sentence' }));
};

const script = fc.record({
  rules: fc.array(rule, { minLength: 1, maxLength: 4 }).map(inWindows),
  wiring: fc.constantFrom('array' as const, 'pipeline' as const, 'parallel' as const),
  hold: fc.constantFrom(undefined, 'none' as const, 'step' as const, 'run' as const),
  budget: fc.nat(2),
  request: fc.array(fc.constantFrom(...words, 'calm'), { minLength: 1, maxLength: 3 }),
  opening: texts,
  /** The result of each called tool. */
  receipts: fc.array(fc.constantFrom(...words, 'calm'), { maxLength: 2 }),
  closing: texts,
});
type Script = typeof script extends fc.Arbitrary<infer T> ? T : never;

interface HookArgs {
  abort(reason: string, options?: { retry?: boolean }): never;
  readonly part?: { type: string; payload: { text: string } };
  readonly prompt?: readonly { role: string; content: unknown }[];
  readonly messages?: readonly { role: string; content: unknown }[];
  readonly messageList?: unknown;
  readonly response?: unknown;
  readonly text?: string;
  readonly result?: unknown;
}

const rolesOf = {
  input: 'user',
  inputStep: 'user',
  llmRequest: 'user',
  outputStep: 'assistant',
  outputResult: 'assistant',
} as const;

/** The text that the guard of a phase judges. */
const readOf = (phase: Rule['phase'], args: HookArgs): unknown => {
  if (phase === 'outputStream') return args.part?.type === 'text-delta' ? args.part.payload.text : '';
  if (phase === 'toolResult') return args.result;
  if (phase === 'outputStep' || phase === 'llmResponse') return args.text;
  const rows = phase === 'llmRequest' ? args.prompt : args.messages;
  return rows?.filter(({ role }) => role === rolesOf[phase]);
};

const without = <T>(value: T, word: string): T => JSON.parse(JSON.stringify(value).replaceAll(word, '[out]')) as T;

/**
 * The message without the word in the parts that its phase may edit on both hosts: the AI SDK shows the guard of a tool's result no text,
 * and a step's guard comes too late for the result.
 */
const withoutInParts = (row: { content: unknown }, word: string, isText: boolean): unknown => {
  const content = row.content as { parts: readonly { type: string }[] };
  const parts = content.parts.map((part) => ((part.type === 'text') === isText ? without(part, word) : part));
  return { ...row, content: { ...content, parts } };
};

/** The question without the word. */
const editOf = ({ phase, word }: Rule, args: HookArgs): unknown => {
  if (phase === 'outputStream') return without(args.part, word);
  if (phase === 'llmRequest') return { prompt: args.prompt?.map((row) => (row.role === 'user' ? without(row, word) : row)) };
  if (phase === 'llmResponse') return undefined;
  if (phase === 'toolResult' || phase === 'outputStep')
    return args.messages?.map((row) => (row.role === 'assistant' ? withoutInParts(row, word, phase === 'outputStep') : row));
  return args.messages?.map((row) => (row.role === rolesOf[phase] ? without(row, word) : row));
};

const unchanged = (phase: Rule['phase'], { part, messages }: HookArgs): unknown => {
  if (phase === 'outputStream') return part;
  return ['input', 'outputStep', 'outputResult'].includes(phase) ? messages : undefined;
};

const guardOf = (one: Rule, id: string): Processor => {
  let retries = 0;
  const act = (args: HookArgs): unknown => {
    if (!JSON.stringify(readOf(one.phase, args) ?? '').includes(one.word)) return unchanged(one.phase, args);
    if (one.act === 'fail') throw new Error('down');
    if (one.act === 'trip') return args.abort(id);
    if (one.act === 'edit') return editOf(one, args) ?? unchanged(one.phase, args);
    if (one.act === 'retry' && retries < one.asks) {
      retries += 1;
      return args.abort(id, { retry: true });
    }
    return unchanged(one.phase, args);
  };
  const hook = (args: HookArgs): unknown => (one.isSlow ? Promise.resolve().then(() => act(args)) : act(args));
  return { id, [phases[one.phase].hook]: hook };
};

type Arrays = Record<'inputProcessors' | 'outputProcessors', readonly PipelineStep[]>;

const arraysOf = ({ rules, wiring }: Script): Arrays => {
  const placed = rules.map((one, index): [Rule['phase'], PipelineStep] => {
    const { phase, window } = one;
    const made = guardOf(one, `g${index}`);
    return [phase, phase === 'outputStream' && window ? (guard(made, { window }) as PipelineStep) : made];
  });
  const { inputProcessors = [], outputProcessors = [] } = laned(...placed) as Partial<Arrays>;
  const wired = (steps: readonly PipelineStep[], id: string): readonly PipelineStep[] => {
    if (wiring === 'array' || steps.length === 0) return steps;
    const start = pipeline(id);
    if (wiring === 'parallel') return [start.parallel(steps).commit()];
    return [steps.reduce<Pipeline>((made, step) => made.then(step), start as never).commit()];
  };
  return { inputProcessors: wired(inputProcessors, 'in'), outputProcessors: wired(outputProcessors, 'out') };
};

/** The model, and the effects of its tools. */
const worldOf = <V extends 'v2' | 'v4'>({ opening, closing, receipts }: Script, specificationVersion: V) => {
  const requests = { opening: 0, closing: 0 };
  const effects: number[] = [];
  const model = scriptedModel<V>({
    specificationVersion,
    steps: ({ prompt }) => {
      const isClosing = receipts.length === 0 || prompt.some(({ role }) => role === 'tool');
      const attempts = isClosing ? closing : opening;
      const attempt = requests[isClosing ? 'closing' : 'opening']++;
      const text = (attempts[attempt] ?? attempts.at(-1) ?? []).map((word) => `${word}. `);
      if (isClosing) return { text: [...text, 'End.'] };
      return { text, toolCalls: receipts.map((_, index) => ({ name: 'charge', args: { index } })) };
    },
  });
  const execute = async ({ index }: { index: number }) => {
    effects.push(index);
    await setImmediate(); // long enough for the other call to start
    return { receipt: receipts[index] };
  };
  return { model, execute, seen: () => ({ effects: effects.toSorted((one, other) => one - other), calls: model.calls.length }) };
};

const tool = { description: 'Charges.', inputSchema: z.object({ index: z.number() }) };

/** The end of a run, the effects of its tools, and the number of model calls. */
interface End {
  readonly end: readonly unknown[];
  readonly effects: readonly number[];
  readonly calls: number;
}

/** The error of a run, without the name of the guard's pipeline. */
const failed = ({ message }: Error): readonly unknown[] => ['failed', message.replace(/at (\w+) \S*(g\d): /, 'at $1 $2: ')];

type Run = (agent: InterlockAgent, prompt: string) => Promise<InterlockResult>;

const generate: Run = (agent, prompt) => agent.generate(prompt);
const stream: Run = async (agent, prompt) => (await agent.stream(prompt)).getFullOutput();

/** Starts a run, and approves its calls, one after another. */
const approving =
  (begin: Run): Run =>
  async (agent, prompt) => {
    let result = await begin(agent, prompt);
    while (result.finishReason === 'suspended') {
      const { runId = '', suspendPayload } = result as { runId?: string; suspendPayload?: { toolCallId?: string } };
      const options = { runId, toolCallId: suspendPayload?.toolCallId };
      result =
        begin === stream
          ? await (await agent.resumeStream({ approved: true }, options)).getFullOutput()
          : await agent.resumeGenerate({ approved: true }, options);
    }
    return result;
  };

/** A run of an agent, as seen by a reader of its result. */
const onMastra =
  (run: Run, config: Partial<InterlockConfig> = {}, requireApproval = false) =>
  async (one: Script): Promise<End> => {
    const { model, execute, seen } = worldOf(one, 'v2');
    const agent = new InterlockAgent({
      id: 'cashier',
      name: 'Cashier',
      instructions: 'Charge.',
      model,
      maxRetries: 0,
      tools: { charge: createTool({ id: 'charge', ...tool, requireApproval, execute }) },
      hold: one.hold,
      maxProcessorRetries: one.budget,
      ...arraysOf(one),
      ...config,
    });
    const end = await run(agent, one.request.join(' ')).then(
      ({ status, steps, tripwire, error }) => {
        if (tripwire) return [status, tripwire.reason, tripwire.processorId];
        return error ? failed(error) : [status, ...steps.filter((step) => !step.tripwire).map(({ text }) => text)];
      },
      (error: Error) => failed(error),
    );
    return { end, ...seen() };
  };

/** The same with the AI SDK's loop around our model: its result, or its error, shows the end. */
const onAiSdk =
  (mode: 'generate' | 'stream') =>
  async (one: Script): Promise<End> => {
    const { model, execute, seen } = worldOf(one, 'v4');
    const { inputProcessors, outputProcessors } = arraysOf(one);
    const agent = guardedToolLoop({
      model,
      maxRetries: 0,
      tools: { charge: sdkTool({ ...tool, execute }) },
      stopWhen: isStepCount(8),
      guards: [...inputProcessors, ...outputProcessors],
      guardOptions: { maxProcessorRetries: one.budget, hold: one.hold === 'none' && mode === 'generate' ? 'chunk' : undefined },
    });
    const prompt = one.request.join(' ');
    const read = async (): Promise<{ steps: readonly { text: string }[] }> => {
      if (mode === 'generate') return agent.generate({ prompt });
      const answer = await agent.stream({ prompt });
      await answer.consumeStream({ onError: () => undefined });
      return { steps: await answer.steps };
    };
    const end = await read().then(
      ({ steps }) => ['success', ...steps.map(({ text }) => text)],
      (error: Error) =>
        isStopError(error) && error.name === 'TripwireError' ? ['tripwire', error.reason, error.processorId] : failed(error),
    );
    return { end, ...seen() };
  };

const inProcess = onMastra(generate);
const durability = memoryEngine();

const ways: Readonly<Record<string, (one: Script) => Promise<End>>> = {
  stream: onMastra(stream),
  'durable generate': onMastra(generate, { durability }),
  'durable stream': onMastra(stream, { durability }),
  'resumed generate': onMastra(approving(generate), {}, true),
  'resumed stream': onMastra(approving(stream), {}, true),
  'durable generate, resumed': onMastra(approving(generate), { durability }, true),
};

describe('one end in every mode', () => {
  it.each(Object.entries(ways))('%s ends like generate', async (_, way) => {
    await fc.assert(
      fc.asyncProperty(script, async (one) => {
        expect(await way(one)).toEqual(await inProcess(one));
      }),
      times(35, 1_700),
    );
  });

  const isForSdk = ({ rules }: Script): boolean => !rules.some(({ phase, act }) => phase === 'toolResult' && act === 'retry');

  // A retry on a tool's result becomes that tool's error there: no step is repeated. A stream of the AI SDK cannot retract words either.
  it.each(['generate', 'stream'] as const)('%s of the AI SDK ends like that of an agent', async (mode) => {
    await fc.assert(
      fc.asyncProperty(script.filter(isForSdk), async (one) => {
        expect(await onAiSdk(mode)(one)).toEqual(await inProcess(one));
      }),
      times(20, 1_000),
    );
  });
});
