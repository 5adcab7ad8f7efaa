import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { guard, InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { judgeMs, type WaitName } from './wait-names.js';

/** How long somebody waited, and how often a guard was asked. */
export interface Waited {
  readonly ms: number;
  readonly asked: number;
}

/** A way to wait, run once. */
export type Wait = () => Promise<Waited>;

const guardMs = 200;
/** Six sentences. */
const deltas = Array.from({ length: 60 }, (_, n) => (n % 10 === 9 ? `end ${n}. ` : `Word ${n} `));
const delayMs = 5;

const named = { id: 'bench', name: 'bench', instructions: 'Be brief.' };

interface Streaming {
  stream(prompt: string): Promise<{ fullStream: unknown }>;
}

const agents = {
  interlock: (config: object): Streaming => new InterlockAgent({ ...named, ...config } as never),
  mastra: (config: object): Streaming => new Agent({ ...named, ...config } as never),
};

/** From the call to the first word, with so many guards of the input that take their time. */
const firstText =
  (kind: keyof typeof agents, guards: number, overlap = false): Wait =>
  async () => {
    let asked = 0;
    const slow = (n: number): Processor => {
      const judge = async (): Promise<void> => {
        asked += 1;
        await sleep(guardMs);
      };
      return overlap
        ? guard({ id: `slow-${n}`, processInput: judge }, { overlap })
        : { id: `slow-${n}`, processInput: passing(judge) };
    };
    const inputProcessors = Array.from({ length: guards }, (_, n) => slow(n));
    const agent = agents[kind]({ model: scriptedModel({ steps: [{ text: ['Fine.'] }] }), inputProcessors });
    const from = performance.now();
    for await (const { type } of await chunksOf(agent)) if (type === 'text-delta') return { ms: performance.now() - from, asked };
    throw new Error('No word came.');
  };

/** Mastra's hooks give the messages back. */
const passing =
  (judge: () => Promise<void>) =>
  async <T>({ messages }: { messages: T }): Promise<T> => {
    await judge();
    return messages;
  };

/** A whole answer, whose words a judge is asked about. */
const judged =
  (kind: keyof typeof agents, window?: 'chunk' | 'sentence'): Wait =>
  async () => {
    let asked = 0;
    const judge: Processor = {
      id: 'judge',
      processOutputStream: async ({ part }) => {
        if (part.type !== 'text-delta') return part;
        asked += 1;
        await sleep(judgeMs);
        return part;
      },
    };
    const outputProcessors = [window ? guard(judge, { window }) : judge];
    const agent = agents[kind]({ model: scriptedModel({ steps: [{ text: deltas, delayMs }] }), outputProcessors });
    return { ms: await timeOf(agent), asked };
  };

/** The answer with nobody to judge it. */
const unjudged: Wait = async () => ({
  ms: await timeOf(agents.interlock({ model: scriptedModel({ steps: [{ text: deltas, delayMs }] }) })),
  asked: 0,
});

const chunksOf = async (agent: Streaming) => (await agent.stream('Say it.')).fullStream as AsyncIterable<{ type: string }>;

const timeOf = async (agent: Streaming): Promise<number> => {
  const from = performance.now();
  for await (const _ of await chunksOf(agent));
  return performance.now() - from;
};

/** Everything that is waited for, by name. */
export const waits: Readonly<Record<WaitName, Wait>> = {
  'first word, 0 guards, interlock': firstText('interlock', 0),
  'first word, 0 guards, mastra': firstText('mastra', 0),
  'first word, 1 guard, interlock': firstText('interlock', 1),
  'first word, 1 guard beside the model, interlock': firstText('interlock', 1, true),
  'first word, 1 guard, mastra': firstText('mastra', 1),
  'first word, 2 guards, interlock': firstText('interlock', 2),
  'first word, 2 guards beside the model, interlock': firstText('interlock', 2, true),
  'first word, 2 guards, mastra': firstText('mastra', 2),
  '60 deltas, no judge, interlock': unjudged,
  '60 deltas, judge of chunks, interlock': judged('interlock', 'chunk'),
  '60 deltas, judge of sentences, interlock': judged('interlock', 'sentence'),
  '60 deltas, judge without a window, interlock': judged('interlock'),
  '60 deltas, judge, mastra': judged('mastra'),
};
