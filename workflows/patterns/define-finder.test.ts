import { describe, expect, it } from 'vitest';
import { defineFinder } from './define-finder.js';

describe('open', () => {
  const orders = defineFinder(() => ({ regex: /NO-\d{2,3}(?=!!!)/ }));

  it.each([
    ['a possible start of a match', 'see N', 4],
    ['a match that can grow', 'see NO-12', 4],
    ['a match that depends on the next characters', 'see NO-12!!', 4],
    ['none after the lookahead', 'see NO-12!!!', 12],
    ['none after characters outside the alphabet', 'see NO-12??? ', 13],
    ['none without a possible first character', 'see 12', 6],
  ])('returns the start of the pending text: %s', (_where, text, at) => {
    expect(orders.open(text, 0)).toBe(at);
  });

  it('ignores text before the given offset', () => {
    expect(orders.open('N', 1)).toBe(1);
    expect(orders.open('NO-12!', 5)).toBe(6);
  });
});
