import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createRope } from './response.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void; // provided by the flag

const heapMb = (): number => {
  collect();
  return process.memoryUsage().heapUsed / 1e6;
};

describe('createRope', () => {
  it('returns the joined text after every piece', () => {
    const grow = createRope();
    let whole = '';
    for (let n = 0; n < 9_000; n += 1) {
      whole += `${n % 3 === 0 ? '' : n} `;
      expect(grow(`${n % 3 === 0 ? '' : n} `) === whole).toBe(true);
    }
  });

  it('stores hundreds of thousands of pieces in less than 4 MB', () => {
    const [pieces, grow] = [300_000, createRope()];
    const before = heapMb();
    let whole = '';
    for (let n = 0; n < pieces; n += 1) whole = grow(`${n % 10} `);
    const grown = heapMb() - before;
    expect(whole).toHaveLength(2 * pieces);
    expect(grown).toBeLessThan(4); // as a tree of its pieces it takes more than 14
  });
});
