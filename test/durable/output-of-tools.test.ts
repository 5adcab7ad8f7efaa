import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { InterlockAgent, memoryEngine } from '../../src/index.js';
import type { Engine } from '../../src/engine.js';
import { scriptedModel } from '../../src/testing/index.js';
import { toolResultsIn } from '../promises/support.js';
import { createDisk, mortalEngine } from './mortal-engine.js';

interface FollowedChunk {
  readonly type: string;
  readonly payload?: { readonly output?: unknown; readonly id?: string; readonly text?: string };
  readonly data?: unknown;
  readonly metadata?: { readonly sequence?: number };
}

const chunksOf = async ({ fullStream }: { readonly fullStream: ReadableStream<object> }): Promise<FollowedChunk[]> => {
  const chunks: FollowedChunk[] = [];
  for await (const chunk of fullStream as unknown as AsyncIterable<FollowedChunk>) chunks.push(chunk);
  return chunks;
};

/** The output of a tool, in order, as a reader has it. */
const outputIn = (chunks: readonly FollowedChunk[]): unknown[] =>
  chunks.flatMap(({ type, payload, data }) => {
    if (type === 'tool-output') return [payload?.output];
    return type === 'data-progress' ? [data] : [];
  });

type Writer = { custom(chunk: object): Promise<void>; write(chunk: object): Promise<void> };

/** A tool that writes, then an answer. */
const agentWith = (write: (writer: Writer) => Promise<void>, config: object) =>
  new InterlockAgent({
    id: 'writing',
    name: 'Writing',
    instructions: 'Look.',
    model: scriptedModel({
      steps: (call) =>
        toolResultsIn(call) === 0 ? { text: 'I look. ', toolCalls: [{ name: 'look', args: {} }] } : { text: 'Seen.' },
    }),
    tools: {
      look: createTool({
        id: 'look',
        description: 'Looks.',
        inputSchema: z.object({}),
        execute: async (_input, { writer }) => {
          await write(writer as unknown as Writer); // of a tool that is called by an agent
          return { seen: true };
        },
      }),
    },
    ...config,
  });

const progress = async (writer: Writer): Promise<void> => {
  await writer.custom({ type: 'data-progress', data: { percent: 50 } });
  await writer.write({ said: 'nearly' });
  await writer.custom({ type: 'data-progress', data: { percent: 100 } });
};

const passing = { id: 'passing', processToolResult: () => undefined };

describe.each([{ hold: 'none' }, { hold: 'step' }, { hold: 'run' }, { hold: 'auto', outputProcessors: [passing] }] as const)(
  'P11: killed at any point, followers read what a tool wrote (%o)',
  (config) => {
    const followed = async (dieAt?: number) => {
      const disk = createDisk();
      const agentIn = (durability: Engine) => agentWith(progress, { ...config, durability });
      const first = mortalEngine(disk, dieAt);
      const ended = agentIn(first)
        .generate('Look.', { runId: 'run' })
        .catch(() => undefined);
      await Promise.race([first.died, ended]);
      const agent = agentIn(mortalEngine(disk));
      const { status } = await (await agent.attach('run')).getFullOutput();
      return { boundaries: first.passed, status, output: outputIn(await chunksOf(await agent.attach('run', { from: 0 }))) };
    };

    it('nothing is lost, and nothing is repeated', async () => {
      const { boundaries, ...whole } = await followed();
      expect(whole.status).toBe('success');
      expect(whole.output).toHaveLength(3);
      expect(whole.output).toEqual(expect.arrayContaining([{ percent: 50 }, { said: 'nearly' }, { percent: 100 }]));
      for (const [dieAt, { at, key }] of boundaries.entries()) {
        const { status, output } = await followed(dieAt);
        expect({ status, output }, `${at} ${key}`).toEqual(whole);
      }
    });
  },
);

class Meter {
  readonly own = this;
  readonly count = 3n;
}

class Broken {
  toJSON(): never {
    throw new Error('no reading');
  }
}

const reading = { id: 'reading', processDataParts: true, processOutputStream: ({ part }: { part: unknown }) => part as never };

it.each([
  ['without guards', {}],
  ['guards get the form that is stored', { outputProcessors: [reading] }],
  ['and of a tool that is not stored', { outputProcessors: [reading], effects: { look: 'none' } }],
])('followers read chunks that are not plain data in another form, at their places: %s', async (_case, config) => {
  const agent = agentWith(
    async (writer) => {
      for (const data of [{ meter: new Meter() }, { hook: () => 1, percent: 50 }, new Broken()])
        await writer.custom({ type: 'data-progress', data });
    },
    { durability: memoryEngine(), ...config },
  );
  const called = await chunksOf(await agent.stream('Look.', { runId: 'run' }));
  const chunks = await chunksOf(await agent.attach('run', { from: 0 }));
  expect(chunks.map(({ type }) => type)).toEqual(called.map(({ type }) => type));
  expect(outputIn(chunks)).toEqual([
    { meter: { count: 3, own: expect.stringContaining('Circular') } },
    { percent: 50 },
    { error: 'This chunk cannot be stored: Error: no reading' },
  ]);
});

it('a guard of the stream reads the steps of a sub-agent of Mastra’s class', async () => {
  const helper = new Agent({
    id: 'helper',
    name: 'Helper',
    instructions: 'Help.',
    model: scriptedModel({ steps: [{ text: 'Helped.' }] }),
  });
  const agent = new InterlockAgent({
    id: 'asking',
    name: 'Asking',
    instructions: 'Ask.',
    model: scriptedModel({ steps: [{ toolCalls: [{ name: 'agent-helper', args: { prompt: 'Help.' } }] }, { text: 'Done.' }] }),
    agents: { helper },
    outputProcessors: [reading],
    durability: memoryEngine(),
  });
  const { status, text } = await (await agent.stream('Ask.')).getFullOutput();
  expect([status, text]).toEqual(['success', 'Done.']);
});
