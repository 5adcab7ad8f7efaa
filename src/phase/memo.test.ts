import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { recentValues } from './memo.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('recentValues', () => {
  it('drops the least recently used value', () => {
    const values = recentValues<number>({ maxEntries: 2 });
    values.set('a', 1);
    values.set('b', 2);
    expect(values.get('a')).toBe(1);
    values.set('c', 3);
    expect(['a', 'b', 'c'].map((key) => values.get(key))).toEqual([1, undefined, 3]);
  });

  it('drops a value after its TTL, which `set` restarts and `get` does not', () => {
    const values = recentValues<number>({ maxEntries: 2, ttlMs: 100 });
    values.set('a', 1);
    vi.advanceTimersByTime(100);
    expect(values.get('a')).toBe(1);
    vi.advanceTimersByTime(1);
    expect(values.get('a')).toBeUndefined();
    values.set('a', 2);
    vi.advanceTimersByTime(60);
    values.set('a', 3);
    vi.advanceTimersByTime(60);
    expect(values.get('a')).toBe(3);
  });

  it('agrees with a linear list', () => {
    const uses = fc.array(fc.tuple(fc.constantFrom('get', 'set'), fc.constantFrom('a', 'b', 'c', 'd', 'e')));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), uses, (maxEntries, steps) => {
        const values = recentValues<number>({ maxEntries });
        let list: (readonly [string, number])[] = [];
        for (const [at, [use, key]] of steps.entries()) {
          const found = use === 'set' ? ([key, at] as const) : list.find(([its]) => its === key);
          if (use === 'set') values.set(key, at);
          else expect(values.get(key)).toBe(found?.[1]);
          if (found) list = [...list.filter(([its]) => its !== key), found].slice(-maxEntries);
        }
      }),
    );
  });
});
