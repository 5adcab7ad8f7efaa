import { expect, it, vi } from 'vitest';

import { InterlockError } from '../errors.js';
import { keepTrying, together, unreachableAt } from './calls.js';

it('makes the calls of one turn together, each different one once', async () => {
  const all = vi.fn((keys: readonly string[]) => keys.map((key) => `${key}!`));
  const call = together(all);
  expect(await Promise.all(['a', 'b', 'a'].map(call))).toEqual(['a!', 'b!', 'a!']);
  expect(await call('a')).toBe('a!');
  expect(all.mock.calls).toEqual([[['a', 'b']], [['a']]]);
});

it('rejects only the calls that fail', async () => {
  const call = together((keys) => keys.map(async (key) => (key === 'b' ? Promise.reject(new Error(key)) : key)));
  const settled = await Promise.allSettled(['a', 'b', 'c'].map(call));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('rejects all calls if they fail together, and makes the next ones', async () => {
  let isAway = true;
  const call = together((keys) => {
    if (isAway) throw new Error('away');
    return keys;
  });
  const settled = await Promise.allSettled(['a', 'b'].map(call));
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isAway = false;
  expect(await call('a')).toBe('a');
});

it.each([
  ['an unreachable server, also one that a part of the operation reports', unreachableAt('adminUrl', undefined)],
  ['a failed request', new TypeError('fetch failed')],
])('tries again after %s', async (_name, error) => {
  const act = vi.fn<() => Promise<string>>().mockRejectedValueOnce(error).mockResolvedValue('there');
  const { done } = keepTrying(act, 'adminUrl', new AbortController().signal);
  expect(await done).toBe('there');
});

it('does not try again after another error of this library', async () => {
  const error = new InterlockError('durable/unreadable', { path: 'journal' });
  const act = vi.fn<() => Promise<string>>().mockRejectedValue(error);
  await expect(keepTrying(act, 'adminUrl', new AbortController().signal).done).rejects.toBe(error);
  expect(act).toHaveBeenCalledOnce();
});
