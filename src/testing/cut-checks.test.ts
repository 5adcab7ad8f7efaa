import { AssertionError } from 'node:assert';
import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';
import { guard } from '../mastra/graph/guard-policy.js';
import { assertChunkInvariant, assertNoFragment, checkChunkInvariance, checkFragments } from './index.js';

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

  it('report a processor whose output depends on the cuts, in the shapes in which it does', async () => {
    const perDelta = guard(
      {
        id: 'per-delta',
        processOutputStream: async ({ part }) =>
          part.type === 'text-delta'
            ? { ...part, payload: { ...part.payload, text: part.payload.text.replaceAll(value, '[x]') } }
            : part,
      } satisfies Processor,
      { window: 'delta' },
    );
    await expect(assertChunkInvariant([perDelta], [text], { ...few, shapes: ['text'] })).rejects.toThrow('depends on how');
    const { failures } = await checkFragments([perDelta], { text, value }, { ...few, shapes: ['around-reasoning', 'two-texts'] });
    expect(new Set(failures.map(({ shape }) => shape))).toEqual(new Set(['around-reasoning', 'two-texts']));
  });
});
