import type { MastraModelConfig } from '@mastra/core/llm';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { guard, InterlockAgent, type RunStatus } from '../../src/index.js';
import { exploreInterleavings } from '../../src/testing/index.js';
import type { Turn } from '../../src/testing/explore-interleavings.js';
import { finishOf } from '../../src/testing/scripted-parts.js';
import { modes, type Mode } from './support.js';

// --- A model whose every part waits for its turn. ---

type Part = Record<string, unknown> & { type: string };

const streamStart: Part = { type: 'stream-start', warnings: [] };
const words = (id: string, text: string): Part[] => [
  { type: 'text-start', id },
  { type: 'text-delta', id, delta: text },
  { type: 'text-end', id },
];
const toolCall: Part = { type: 'tool-call', toolCallId: 'call-1', toolName: 'charge', input: '{"amount":1}' };

/** The outcome of the model's first call. */
const firstCalls = {
  'an answer': { parts: [streamStart, ...words('1', 'I charge. '), toolCall, { type: 'finish', ...finishOf.v2('tool-calls') }] },
  'a failing call': { parts: [], fails: true },
  'a broken stream': { parts: [streamStart, ...words('1', 'I char')], breaks: true },
} as const satisfies Record<string, { parts: Part[]; fails?: true; breaks?: true }>;
type FirstCall = keyof typeof firstCalls;

const closing: Part[] = [streamStart, ...words('2', 'Paid.'), { type: 'finish', ...finishOf.v2('stop') }];

const slow = new Set(['text-delta', 'tool-call', 'finish']);

const modelOf = (first: FirstCall, turn: Turn, log: string[]): MastraModelConfig => {
  let calls = 0;
  const next = async (): Promise<AsyncGenerator<Part>> => {
    calls += 1;
    const script: { parts: Part[]; fails?: true; breaks?: true } = calls === 1 ? firstCalls[first] : { parts: closing };
    const isFirst = calls === 1;
    if (isFirst) await turn('call');
    log.push(`model ${calls}`);
    if (script.fails) throw new Error('The provider is out of order.');
    return (async function* () {
      for (const part of script.parts) {
        if (isFirst && slow.has(part.type)) await turn(part.type);
        yield part;
      }
      if (script.breaks) throw new Error('The connection broke.');
    })();
  };
  const model: unknown = {
    specificationVersion: 'v2',
    provider: 'turned',
    modelId: 'turned',
    supportedUrls: {},
    doStream: async () => {
      const parts = await next();
      const pull = async (controller: ReadableStreamDefaultController<Part>) => {
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(value);
      };
      return { stream: new ReadableStream<Part>({ pull }, { highWaterMark: 0 }) };
    },
    doGenerate: async () => {
      const content: unknown[] = [];
      let finish: Part | undefined;
      for await (const part of await next()) {
        if (part.type === 'text-delta') content.push({ type: 'text', text: part['delta'] });
        if (part.type === 'tool-call') content.push(part);
        if (part.type === 'finish') finish = part;
      }
      return { content, ...finish, warnings: [] };
    },
  };
  return model as MastraModelConfig; // built part by part to the interface that it names
};

// --- Guards whose every verdict waits for its turn. ---

type Decision = 'pass' | 'trip' | 'retry' | 'throw';

const judge = (id: string, decision: Decision, { turn, log, hook }: { turn: Turn; log: string[]; hook: string }): Processor => ({
  id,
  [hook]: async ({ abort }: { abort(reason: string, options?: { retry?: boolean }): never }) => {
    await turn(id);
    log.push(id);
    if (decision === 'trip') abort(`${id} blocks.`);
    if (decision === 'retry') abort(`${id} asks again.`, { retry: true });
    if (decision === 'throw') throw new Error(`${id} is out of order.`);
  },
});

interface Scene {
  readonly mode: Mode;
  readonly first: FirstCall;
  readonly decisions: readonly [Decision, Decision];
  readonly hooks?: readonly [string, string];
  /** Whether the caller cancels at some time. */
  readonly cancels?: boolean;
  /** Whether the guards overlap with the model. Default: yes. */
  readonly overlap?: boolean;
}

interface Way {
  readonly log: string[];
  readonly status: RunStatus | undefined;
  readonly text: string;
}

/** Runs a scene, and records the order of verdicts, chunks, and tool calls. */
const play = async (scene: Scene, turn: Turn): Promise<Way> => {
  const {
    mode,
    first,
    decisions: decision,
    hooks = ['processInput', 'processLLMRequest'],
    cancels = false,
    overlap = true,
  } = scene;
  const log: string[] = [];
  const caller = new AbortController();
  const charge = createTool({
    id: 'charge',
    description: 'Charges an amount.',
    inputSchema: z.object({ amount: z.number() }),
    execute: async () => {
      log.push('tool');
      return { receipt: 1 };
    },
  });
  const guards = decision.map((one, index) => {
    const made = judge(`judge-${index}`, one, { turn, log, hook: hooks[index] ?? '' });
    return overlap ? guard(made as never, { overlap: true }) : made; // its type does not declare that it edits nothing
  });
  const agent = new InterlockAgent({
    id: 'a',
    name: 'A',
    instructions: 'Charge.',
    model: modelOf(first, turn, log),
    tools: { charge },
    inputProcessors: guards,
  });
  let status: RunStatus | undefined;
  const note = ({ type }: { type: string }) => void log.push(`chunk ${type}`);
  const options = {
    abortSignal: caller.signal,
    onRunEvent: (event: { type: string; status?: RunStatus }) => {
      if (event.type === 'run-finish') status = event.status;
    },
  };
  const giveUp = async () => {
    await turn('cancel');
    log.push('cancel');
    caller.abort();
  };
  const giving = cancels ? giveUp() : undefined;
  const run = async () => {
    if (mode === 'generate') return (await agent.generate('Charge me.', { ...options, onChunk: note })).text;
    const stream = await agent.stream('Charge me.', options);
    for await (const chunk of stream.fullStream) note(chunk);
    return (await stream.getFullOutput()).text;
  };
  const text = await run().catch(() => '');
  await giving;
  return { log, status, text };
};

/** Chunks that report the start or end of a run, without the model's text. */
const frame = new Set(['chunk start', 'chunk tripwire', 'chunk error', 'chunk abort', 'chunk finish']);

const isEffect = (entry: string): boolean => entry === 'tool' || (entry.startsWith('chunk ') && !frame.has(entry));

/** Releases and effects before all required verdicts. */
const early = ({ log }: Way, { decisions: decision }: Scene): string[] => {
  const verdicts = decision.flatMap((one, index) => (one === 'pass' ? [log.indexOf(`judge-${index}`)] : [-1]));
  const opensAt = verdicts.includes(-1) ? Infinity : Math.max(...verdicts);
  return log.filter((entry, index) => index < opensAt && isEffect(entry));
};

const explore = async (scene: Scene) => {
  const ways = await exploreInterleavings((turn) => play(scene, turn));
  for (const { order, result } of ways) expect(early(result, scene), order.join(' > ')).toEqual([]);
  return ways;
};

const outcome = ({ status, text }: Way) => `${status} ${text}`;

const verdicts: readonly (readonly [Decision, Decision])[] = [
  ['pass', 'pass'],
  ['trip', 'pass'],
  ['pass', 'trip'],
  ['retry', 'trip'],
  ['retry', 'pass'],
  ['throw', 'pass'],
];

describe('P2 with overlap: every order of verdicts, parts, errors and an abort', () => {
  const scenes = modes.flatMap((mode) =>
    (Object.keys(firstCalls) as FirstCall[]).flatMap((first) => verdicts.map((decisions) => ({ mode, first, decisions }))),
  );

  it.each(scenes)(
    '$mode, $first, guards that $decisions: emits nothing early, with the same outcome as without overlap',
    async (scene) => {
      const ways = await explore(scene);
      const waiting = await exploreInterleavings((turn) => play({ ...scene, overlap: false }, turn));
      const expected = new Set(waiting.map(({ result }) => outcome(result)));
      expect(new Set(ways.map(({ result }) => outcome(result)))).toEqual(expected);
      expect(expected.size).toBe(1);
      expect(ways.length).toBeGreaterThan(waiting.length);
    },
  );

  it.each(modes)('%s: the model call can end before the first verdict', async (mode) => {
    const ways = await explore({ mode, first: 'an answer', decisions: ['pass', 'pass'] });
    const isDoneFirst = ({ order }: { order: readonly string[] }) =>
      order.indexOf('finish') < Math.min(order.indexOf('judge-0'), order.indexOf('judge-1'));
    expect(ways.some(isDoneFirst)).toBe(true);
    expect(ways.some(({ order }) => order[0] !== 'call')).toBe(true);
    expect(ways.every(({ result }) => result.text === 'I charge. Paid.' && result.log.includes('tool'))).toBe(true);
  });

  it.each(modes.flatMap((mode) => (['pass', 'trip'] as const).map((decision) => ({ mode, decision }))))(
    '$mode, a cancellation while guards $decision',
    async ({ mode, decision }) => {
      const ways = await explore({ mode, first: 'an answer', decisions: ['pass', decision], cancels: true });
      const statuses = new Set(ways.map(({ result }) => result.status));
      expect(statuses).toContain('canceled');
      expect(statuses).toContain(decision === 'pass' ? 'success' : 'tripwire');
      for (const { result } of ways) {
        const before = new Set(result.log.slice(0, result.log.indexOf('cancel')));
        if (!before.has('judge-0') || !before.has('judge-1')) expect(result.text).toBe('');
      }
    },
  );

  it.each(modes)('%s: guards of every phase before the call', async (mode) => {
    for (const hooks of [
      ['processInput', 'processInputStep'],
      ['processInputStep', 'processLLMRequest'],
    ] as const)
      for (const { result } of await explore({ mode, first: 'a broken stream', decisions: ['pass', 'trip'], hooks }))
        expect(outcome(result)).toBe('tripwire ');
  });
});
