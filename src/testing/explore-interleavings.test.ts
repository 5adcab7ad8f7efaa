import { describe, expect, it } from 'vitest';
import { exploreInterleavings } from './index.js';

describe('exploreInterleavings', () => {
  it('runs every order of parallel turns once', async () => {
    const ways = await exploreInterleavings(async (turn) => {
      const log: string[] = [];
      const step = async (name: string) => {
        await turn(name);
        log.push(name);
      };
      await Promise.all([step('a'), step('b'), step('c')]);
      return log.join('');
    });
    expect(ways.map(({ result }) => result).toSorted()).toEqual(['abc', 'acb', 'bac', 'bca', 'cab', 'cba']);
    for (const { order, result } of ways) expect(order.join('')).toBe(result);
  });

  it('keeps the order within a chain', async () => {
    const ways = await exploreInterleavings(async (turn) => {
      const chain = async (name: string) => {
        await turn(`${name}1`);
        await turn(`${name}2`);
      };
      await Promise.all([chain('a'), chain('b')]);
    });
    expect(ways).toHaveLength(6);
    for (const { order } of ways) expect(order.indexOf('a1')).toBeLessThan(order.indexOf('a2'));
  });

  it('finds an order in which a race loses an update', async () => {
    const ways = await exploreInterleavings(async (turn) => {
      let stored = 0;
      const add = async (name: string) => {
        await turn(`${name} reads`);
        const read = stored;
        await turn(`${name} writes`);
        stored = read + 1;
      };
      await Promise.all([add('one'), add('two')]);
      return stored;
    });
    expect(ways.some(({ result }) => result === 1)).toBe(true);
    expect(ways.some(({ result }) => result === 2)).toBe(true);
  });

  it('runs a scenario without turns once', async () => {
    expect(await exploreInterleavings(async () => 'done')).toEqual([{ order: [], result: 'done' }]);
  });

  it('rejects too many orders, a scenario that hangs and one that fails', async () => {
    const wide = (turn: (label: string) => Promise<void>) => Promise.all(['a', 'b', 'c', 'd'].map(turn));
    await expect(exploreInterleavings(wide, { most: 23 })).rejects.toThrow(RangeError);
    expect(await exploreInterleavings(wide, { most: 24 })).toHaveLength(24);
    await expect(exploreInterleavings(() => new Promise(() => undefined))).rejects.toThrow('hangs');
    await expect(exploreInterleavings(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });
});
