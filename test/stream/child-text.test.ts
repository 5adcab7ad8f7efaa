import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { guard, InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { redactor } from '../../workflows/guards/index.js';

interface Chunk {
  readonly type: string;
  readonly payload?: { readonly output?: Chunk; readonly id?: string; readonly text?: string };
}

const address = 'jane@example.com';
const pieces = ['Ask jane@exam', 'ple.com', ' about it. ', 'She knows.'];

const named = { name: 'a', instructions: 'Help.' };
const child = (Kind: typeof Agent) =>
  new Kind({ id: 'child', ...named, description: 'Answers.', model: scriptedModel({ steps: () => ({ text: pieces }) }) });

/** A supervisor that calls once; the child is an agent of either kind. */
const supervisor = (Kind: typeof Agent, outputProcessors: Processor[], config: object = {}) =>
  new InterlockAgent({
    id: 'supervisor',
    ...named,
    model: scriptedModel({
      steps: [{ toolCalls: [{ name: 'agent-child', args: { prompt: 'How do I reach you?' } }] }, { text: 'Done.' }],
    }),
    agents: { child: child(Kind) },
    outputProcessors,
    ...config,
  });

const chunksOf = async (agent: InterlockAgent) => {
  const stream = await agent.stream('Go.');
  const chunks: Chunk[] = [];
  for await (const chunk of stream.fullStream) chunks.push(chunk as Chunk);
  return { chunks, status: await stream.getFullOutput().then(({ status }) => status) };
};
const carried = (chunks: readonly Chunk[]) =>
  chunks.flatMap(({ type, payload }) => (type === 'tool-output' ? (payload?.output ?? []) : []));
const childText = (chunks: readonly Chunk[]) =>
  carried(chunks).flatMap(({ type, payload }) => (type === 'text-delta' ? (payload?.text ?? '') : []));

const kinds: [string, typeof Agent][] = [
  ['an InterlockAgent', InterlockAgent as unknown as typeof Agent], // its options are wider than Mastra's
  ['a stock agent', Agent],
];

describe.each(kinds)('the output of %s as a sub-agent, under windows of its supervisor', (_, Kind) => {
  it('is unchanged, with its other chunks, if no guard objects', async () => {
    const passing: Processor = { id: 'passing', processOutputStream: async ({ part }) => part };
    const without = await chunksOf(supervisor(Kind, []));
    const under = await chunksOf(supervisor(Kind, [guard(passing, { window: 'sentence' })]));
    expect(childText(under.chunks).join('')).toBe(pieces.join(''));
    const types = ({ chunks }: typeof under) =>
      carried(chunks)
        .map(({ type }) => type)
        .filter((type) => type !== 'text-delta');
    expect(types(under)).toEqual(types(without));
  });

  it.each(['replace', 'block'] as const)('contains no part of a redacted value: %s', async (strategy) => {
    const { chunks, status } = await chunksOf(supervisor(Kind, [redactor({ strategy, kinds: ['email'] })]));
    const json = JSON.stringify(chunks);
    expect(json).not.toContain(address);
    expect(json).not.toContain('jane@exam');
    if (strategy === 'replace') expect(childText(chunks).join('')).toBe('Ask [EMAIL] about it. She knows.');
    expect(status).toBe(strategy === 'replace' ? 'success' : 'tripwire');
  });

  it('is judged in whole windows and emitted after their verdicts', async () => {
    const inputs: string[] = [];
    const judge: Processor = {
      id: 'judge',
      processOutputStream: async ({ part, abort }) => {
        if (part.type !== 'text-delta') return part;
        inputs.push(part.payload.text);
        return part.payload.text.startsWith('She') ? abort('No.') : part;
      },
    };
    const { chunks, status } = await chunksOf(supervisor(Kind, [guard(judge, { window: 'sentence' })]));
    expect(inputs).toEqual([`Ask ${address} about it. `, 'She knows.']);
    expect(childText(chunks).join('')).toBe(`Ask ${address} about it. `);
    expect(status).toBe('tripwire');
  });

  it('is the same with a hold, without a part of a redacted value', async () => {
    const { chunks } = await chunksOf(supervisor(Kind, [redactor({ strategy: 'replace', kinds: ['email'] })], { hold: 'step' }));
    expect(childText(chunks).join('')).toBe('Ask [EMAIL] about it. She knows.');
    expect(JSON.stringify(chunks)).not.toContain('jane@exam');
  });
});

/** An agent with one tool that writes. */
const writing = (chunks: readonly (object | string)[], outputProcessors: Processor[], config: object = {}) => {
  const writingTool = createTool({
    id: 'telling',
    description: 'Writes.',
    inputSchema: z.object({}),
    execute: async (_input, { writer }) => {
      for (const chunk of chunks) await writer?.write(chunk);
      return 'done';
    },
  });
  const steps = [{ toolCalls: [{ name: 'telling', args: {} }] }, { text: 'Done.' }];
  return new InterlockAgent({
    id: 'a',
    ...named,
    model: scriptedModel({ steps }),
    tools: { telling: writingTool },
    outputProcessors,
    ...config,
  });
};

describe('chunks that a tool writes', () => {
  const hiding = redactor({ strategy: 'replace', kinds: ['email'] });

  it('are read in all of their strings', async () => {
    const { chunks } = await chunksOf(writing([{ progress: { of: [`Asking ${address}`, 1] } }], [hiding]));
    expect(carried(chunks)).toEqual([{ progress: { of: ['Asking [EMAIL]', 1] } }]);
  });

  it('are emitted by the end of the tool, even without a text-end', async () => {
    const delta = { type: 'text-delta', payload: { id: 'one', text: 'Ask jane' } };
    const slow: Processor = { id: 'slow', processOutputStream: async ({ part }) => (await sleep(20), part) };
    const { chunks } = await chunksOf(writing([delta], [hiding, guard(slow, { window: 'part' })]));
    expect(childText(chunks).join('')).toBe('Ask jane');
    const order = chunks.map(({ type }) => type);
    expect(order.indexOf('tool-output')).toBeLessThan(order.indexOf('tool-result'));
  });

  it.each(['none', 'auto', 'step', 'run'])(
    'contain no part of a redacted value that is split over texts, hold %s',
    async (hold) => {
      for (const nested of [false, true]) {
        const inner = (output: string) => (nested ? { type: 'workflow-step-output', payload: { output } } : output);
        const { chunks } = await chunksOf(writing(pieces.map(inner), [hiding], { hold }));
        expect(JSON.stringify(chunks)).not.toMatch(/jane|ple\.com/);
        const texts = JSON.stringify(carried(chunks).map((output) => (nested ? output.payload?.output : output)));
        expect(texts.replaceAll('","', '')).toBe('["Ask [EMAIL] about it. She knows."]');
      }
      const blocking = redactor({ strategy: 'block', kinds: ['email'] });
      const { chunks, status } = await chunksOf(writing(pieces, [blocking], { hold }));
      expect(status).toBe('tripwire');
      expect(JSON.stringify(chunks)).not.toContain('jane');
    },
  );

  it('are emitted in the pieces and in the order in which they were written', async () => {
    const written = ['{"step":1}', '{"step":2}', 'Loading', { done: 1 }, ' more. And', ' more', '\n', 'end'];
    for (const guards of [
      [],
      [hiding],
      [guard({ id: 'passing', processOutputStream: async ({ part }) => part }, { window: 'sentence' })],
    ])
      expect(carried((await chunksOf(writing(written, guards))).chunks)).toEqual(written);
  });
});
