import { expect, it } from 'vitest';
import type { Durable } from '../../durable/journal.js';
import { createPersistedJournal } from './persisted-journal.js';

/** A journal over texts that outlive it. */
const over = (kept: Map<string, string>) => {
  const durable: Durable = {
    canceled: new AbortController().signal,
    step: async (key, run) => {
      const text = kept.get(key) ?? (await run(durable));
      kept.set(key, text);
      return text;
    },
  };
  return createPersistedJournal(durable, { isFenced: false });
};

it('keeps what a part failed with, and what of it is no data: the engine is not made to try again', async () => {
  const kept = new Map<string, string>();
  const failing = () => Promise.reject(new RangeError('too much'));
  const unkept = async () => ({ hook: () => 1 });
  for (const body of [failing, () => Promise.reject(new Error('Done again.'))])
    await expect(over(kept).part('tool a', body)).rejects.toMatchObject({ message: 'too much', name: 'RangeError' });
  for (let life = 0; life < 2; life += 1)
    await expect(over(kept).part('tool b', unkept)).rejects.toMatchObject({ code: 'durable/unkept-value', path: 'value.hook' });
});

it('a claim is had once, over all processes', async () => {
  const kept = new Map<string, string>();
  const first = over(kept);
  expect([await first.claim('a'), await first.claim('a'), await over(kept).claim('a')]).toEqual([true, false, false]);
});
