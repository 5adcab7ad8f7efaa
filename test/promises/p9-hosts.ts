import { setImmediate } from 'node:timers/promises';

import { Agent } from '@mastra/core/agent';
import { MockMemory } from '@mastra/core/memory';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { isStepCount, tool } from 'ai';
import { z } from 'zod';

import { guardedToolLoop, isStopError } from '../../src/ai-sdk/index.js';
import { guardsFor, InterlockAgent, phases, pipeline } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { budget, hookOf, loud, opening, request, type Outcome, type Row } from './p9-rows.js';
import { laned } from './support.js';

/** A way to run a row. */
export interface Host {
  readonly name: string;
  readonly run: (row: Row) => Promise<Outcome>;
}

const guardOf = (row: Row): Processor => ({ id: 'guard', [phases[row.phase].hook]: hookOf(row) });

const resultsIn = (prompt: readonly { role: string; content: unknown }[]): number =>
  prompt.flatMap(({ role, content }) => (role === 'tool' ? (content as unknown[]) : [])).length;

/** A model that calls tools if there are any, and then answers; for the error phase it fails at first, or always. */
const modelOf = <V extends 'v2' | 'v4'>({ phase, verdict, tools }: Row, specificationVersion: V) =>
  scriptedModel<V>({
    specificationVersion,
    steps: (call) => {
      const isDown = phase === 'apiError' && (call.index === 0 || verdict === 'exhausted');
      if (isDown) return { error: new Error('The provider is out of order.') };
      return tools && resultsIn(call.prompt) === 0 ? opening : { text: ['All is ', 'paid.'] };
    },
  });

const chargeInto = (log: number[]) => async (given: { amount: number }) => {
  log.push(given.amount);
  await setImmediate(); // long enough for the other call to start
  return { receipt: `receipt ${given.amount}` };
};

const hasEdit = (calls: readonly { prompt: unknown }[]): boolean => {
  const prompt = JSON.stringify(calls.at(-1)?.prompt ?? '');
  return prompt.includes(loud(request)) || prompt.includes(loud('receipt 1'));
};

const target = { thread: 'thread-1', resource: 'person-1' };

const savedIn = async (memory: MockMemory | undefined): Promise<Outcome['saved']> => {
  const thread = await memory?.getThreadById({ threadId: target.thread });
  if (!memory || !thread) return 'nothing';
  const { messages } = await memory.recall({ threadId: target.thread, resourceId: target.resource });
  const parts = messages.flatMap(({ role, content }) => (role === 'assistant' ? content.parts : []));
  if (parts.length === 0) return 'nothing';
  return parts.every(({ type }) => type === 'tool-invocation') ? 'calls' : 'turn';
};

type MakeAgent = (row: Row, base: object) => Agent;
type Mode = 'generate' | 'stream';

/** A Mastra agent in one of its modes. */
const mastraHost = (name: string, mode: Mode, make: MakeAgent): Host => ({
  name: `${name}, ${mode}`,
  run: async (row) => {
    const log: number[] = [];
    const model = modelOf(row, 'v2');
    const memory = row.memory ? new MockMemory({ enableMessageHistory: true }) : undefined;
    const charge = createTool({
      id: 'charge',
      description: 'Charges an amount.',
      inputSchema: z.object({ amount: z.number() }),
      execute: chargeInto(log),
    });
    const base = { id: 'cashier', name: 'Cashier', instructions: 'Charge people.', model, memory, maxRetries: 0 };
    const agent = make(row, { ...base, ...(row.tools && { tools: { charge } }), maxProcessorRetries: budget });
    const answer = await ask(agent, mode, memory ? { memory: target } : {});
    const seen = { effects: log.length, modelCalls: model.calls.length, hasEdit: hasEdit(model.calls) };
    return { ...answer, ...seen, saved: await savedIn(memory) };
  },
});

interface Result {
  readonly error?: unknown;
  readonly tripwire?: unknown;
  readonly response?: { uiMessages?: readonly { role: string; parts: readonly { type: string; text?: string }[] }[] };
}

const ask = async (agent: Agent, mode: Mode, options: object): Promise<Pick<Outcome, 'end' | 'answer'>> => {
  try {
    const result = (mode === 'generate'
      ? await agent.generate(request, options)
      : await (await agent.stream(request, options)).getFullOutput()) as unknown as Result; // with the fields that are read here
    if (result.error) return { end: 'failed', answer: '' };
    const end = result.tripwire ? 'tripwire' : 'success';
    return { end, answer: lastText(result) };
  } catch {
    return { end: 'failed', answer: '' };
  }
};

/** The last words of the answer, from its messages. */
const lastText = ({ response }: Result): string => {
  const last = response?.uiMessages?.findLast(({ role }) => role === 'assistant');
  const parts = last?.parts ?? [];
  const afterTools = parts.slice(parts.findLastIndex(({ type }) => type.startsWith('tool-')) + 1);
  return afterTools.map(({ type, text = '' }) => (type === 'text' ? text : '')).join('');
};

/** An agent of the AI SDK in one of its modes; it has no memory. */
const sdkHost = (mode: Mode): Host => ({
  name: `AI SDK, ${mode}`,
  run: async (row) => {
    const log: number[] = [];
    const model = modelOf(row, 'v4');
    const charge = tool({ inputSchema: z.object({ amount: z.number() }), execute: chargeInto(log) });
    const agent = guardedToolLoop({
      model,
      tools: row.tools ? { charge } : {},
      stopWhen: isStepCount(5),
      maxRetries: 0,
      guards: pipeline('guards').then(guardOf(row)),
      guardOptions: { maxProcessorRetries: budget },
    });
    const answer = await askSdk(agent as never, mode);
    return { ...answer, effects: log.length, modelCalls: model.calls.length, hasEdit: hasEdit(model.calls), saved: 'nothing' };
  },
});

interface SdkAgent {
  generate(call: object): Promise<{ text: string }>;
  stream(call: object): Promise<{ text: PromiseLike<string>; consumeStream(options: object): PromiseLike<void> }>;
}

const askSdk = async (agent: SdkAgent, mode: Mode): Promise<Pick<Outcome, 'end' | 'answer'>> => {
  try {
    if (mode === 'generate') return { end: 'success', answer: (await agent.generate({ prompt: request })).text };
    const stream = await agent.stream({ prompt: request });
    await stream.consumeStream({ onError: () => undefined });
    return { end: 'success', answer: await stream.text };
  } catch (error) {
    return { end: isStopError(error) && error.name === 'TripwireError' ? 'tripwire' : 'failed', answer: '' };
  }
};

const interlock: MakeAgent = (row, base) =>
  new InterlockAgent({ ...(base as { name: string; model: never }), ...laned([row.phase, guardOf(row)]) });

const stock: MakeAgent = (row, base) => new Agent({ ...base, ...guardsFor(pipeline('guards').then(guardOf(row))) } as never);

export const interlockHosts = [
  mastraHost('InterlockAgent', 'generate', interlock),
  mastraHost('InterlockAgent', 'stream', interlock),
];
export const stockHosts = [mastraHost('stock agent', 'generate', stock), mastraHost('stock agent', 'stream', stock)];
export const sdkHosts = [sdkHost('generate'), sdkHost('stream')];
