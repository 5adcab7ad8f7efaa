import { expect, it } from 'vitest';
import type { Durable } from '../../durable/journal.js';
import { createPersistedJournal } from './persisted-journal.js';

/** A journal over texts that outlive it. */
const over = (stored: Map<string, string>) => {
  const durable: Durable = {
    canceled: new AbortController().signal,
    publish: async () => 0,
    step: async (key, run) => {
      const text = stored.get(key) ?? (await run(durable));
      stored.set(key, text);
      return text;
    },
  };
  return createPersistedJournal(durable, { isFenced: false });
};

it('stores the error of a failed part and of a result that is not data, so that the engine does not retry', async () => {
  const stored = new Map<string, string>();
  const failing = () => Promise.reject(new RangeError('too much'));
  const unkept = async () => ({ hook: () => 1 });
  for (const body of [failing, () => Promise.reject(new Error('Done again.'))])
    await expect(over(stored).part('tool a', body)).rejects.toMatchObject({ message: 'too much', name: 'RangeError' });
  for (let epoch = 0; epoch < 2; epoch += 1)
    await expect(over(stored).part('tool b', unkept)).rejects.toMatchObject({ code: 'durable/unkept-value', path: 'value.hook' });
});

it('grants a claim once across all processes', async () => {
  const stored = new Map<string, string>();
  const first = over(stored);
  expect([await first.claim('a'), await first.claim('a'), await over(stored).claim('a')]).toEqual([true, false, false]);
});
