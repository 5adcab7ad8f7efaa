import { describe, expect, it } from 'vitest';
import { defineFinder } from './define-finder.js';

describe('open', () => {
  const orders = defineFinder({ regex: /NO-\d{2,3}(?=!!!)/ });

  it.each([
    ['where a match could still begin', 'see N', 4],
    ['where it could still grow', 'see NO-12', 4],
    ['where what follows it decides, although no match has such a character', 'see NO-12!!', 4],
    ['nowhere, where that is settled', 'see NO-12!!!', 12],
    ['nowhere, where no match has the last characters', 'see NO-12??? ', 13],
    ['nowhere, where no match begins with any', 'see 12', 6],
  ])('is %s', (_where, text, at) => {
    expect(orders.open(text, 0)).toBe(at);
  });

  it('looks at nothing before the place from which it is asked', () => {
    expect(orders.open('N', 1)).toBe(1);
    expect(orders.open('NO-12!', 5)).toBe(6);
  });
});
