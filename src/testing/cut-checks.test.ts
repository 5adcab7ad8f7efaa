import { AssertionError } from 'node:assert';
import { type Processor, RegexFilterProcessor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';
import { guard } from '../mastra/graph/guard-policy.js';
import { randomCuts, twoWayCuts, unitCuts } from './cuts.js';
import { assertChunkInvariant, assertNoFragment, checkChunkInvariance, checkFragments } from './index.js';
import type { StreamShape } from './stream-shapes.js';

const text = 'Mail jane@example.com now.';
const value = 'jane@example.com';
const few = { randomCuts: 10 };

const passing: Processor = { id: 'passing', processOutputStream: async ({ part }) => part };

/** Drops every delta, for any cut. */
const silent: Processor = {
  id: 'silent',
  processOutputStream: async ({ part }) => (/delta$|tool-call$/.test(part.type) ? null : part),
};

describe('the checks over all cuts', () => {
  it('report nothing for correct processors', async () => {
    await assertChunkInvariant([passing], ['Mail j@b.cd.'], few);
    await assertNoFragment([silent], [{ text: 'Mail j@b.cd.', value: 'j@b.cd' }], few);
  });

  it('ignore the times of a run', async () => {
    const today = new Date().toISOString().slice(0, 10);
    await assertNoFragment([silent], [{ text: `On ${today}.`, value: today }], { ...few, shapes: ['text'] });
  });

  it('run two-way cuts, single characters and random cuts, each once', async () => {
    const { runs } = await checkChunkInvariance([passing], ['abc'], { shapes: ['text'], randomCuts: 50 });
    expect(runs).toBe(4); // a|bc, ab|c, a|b|c, abc
  });

  it('report the first failing cut and the number of failures', async () => {
    const checking = assertNoFragment([passing], [{ text, value }], { ...few, shapes: ['text'] });
    await expect(checking).rejects.toThrow(AssertionError);
    await expect(checking).rejects.toThrow(
      /^A piece of "jane@example.com" left: (\d+) of \1 cuts, first as text in \["M","ail jane@example.com now."\]/,
    );
  });

  it('allow the characters that a mask may keep', async () => {
    const masking: Processor = {
      id: 'masking',
      processOutputStream: async ({ part }) =>
        part.type === 'text-delta' ? { ...part, payload: { ...part.payload, text: '@example.com' } } : part,
    };
    const shapes = ['text'] as const;
    await assertNoFragment([masking], [{ text, value, allowedChars: 12 }], { ...few, shapes });
    expect((await checkFragments([masking], { text, value, allowedChars: 11 }, { ...few, shapes })).failures).not.toHaveLength(0);
  });
});

// The kit has no knowledge of this processor: it works only with texts, values and cuts.
describe('on the RegexFilterProcessor of @mastra/core 1.71', () => {
  const processor = (strategy: 'block' | 'redact') => new RegexFilterProcessor({ presets: ['pii'], strategy });
  /** As in Mastra's agent: without the window that Interlock gives it. */
  const filter = (strategy: 'block' | 'redact') => [
    strategy === 'block' ? guard(processor(strategy), { window: 'chunk' }) : processor(strategy),
  ];
  const leaks = async (strategy: 'block' | 'redact', shape: StreamShape) =>
    (await checkFragments(filter(strategy), { text, value }, { ...few, shapes: [shape] })).failures.length;

  it('the checks find no leak with the window that it has by default', async () => {
    await assertNoFragment([processor('block')], [{ text, value }], { ...few, shapes: ['text'] });
  });

  it('the checks find that it blocks only values in one piece', async () => {
    expect(await leaks('block', 'text')).toBeGreaterThan(10);
    const whole = { text: value, value, allowedChars: value.length - 1 };
    const { runs, failures } = await checkFragments(filter('block'), whole, { shapes: ['text'], randomCuts: 100, seed: 1 });
    // The filter checks each delta alone. A cut leaks if no piece is an address by its rule, which is true of most cuts.
    const rule = /[\w.%+-]+@[a-z.-]+\.[a-z]{2,}/i;
    const cuts = [...twoWayCuts(value), unitCuts(value), ...randomCuts(value, { count: 100, seed: 1 })];
    const leaking = new Set(cuts.filter((pieces) => !pieces.some((piece) => rule.test(piece))).map((pieces) => pieces.join('|')));
    expect(new Set(failures.map(({ pieces }) => pieces.join('|')))).toEqual(leaking);
    expect(failures.length / runs).toBeGreaterThan(0.8);
  });

  it('the checks find that a part of another kind between the pieces defeats its redaction', async () => {
    expect(await leaks('redact', 'text')).toBe(0);
    await assertChunkInvariant(filter('redact'), [text], { ...few, shapes: ['text'] });
    expect(await leaks('redact', 'around-reasoning')).toBeGreaterThan(0);
    expect(await leaks('redact', 'around-sources')).toBeGreaterThan(0);
    await expect(assertChunkInvariant(filter('redact'), [text], { ...few, shapes: ['around-reasoning'] })).rejects.toThrow(
      'depends on how',
    );
  });

  it('the checks find that it mixes two texts, and ignores reasoning and arguments', async () => {
    for (const shape of ['two-texts', 'reasoning', 'arguments'] as const) expect(await leaks('redact', shape)).toBeGreaterThan(0);
  });
});
