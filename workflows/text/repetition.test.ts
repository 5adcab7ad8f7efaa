import { describe, expect, it } from 'vitest';
import { repetitionOf } from './repetition.js';

describe('repetitionOf', () => {
  it.each([
    ['', 0],
    ['12 12 12 12', 0],
    ['hello world', 1],
    ['no no no', 3],
    ['Buy now! BUY NOW, buy now', 3],
    ['a b c d a b c d a b c d', 3],
    ['The sky is blue today. Yes. The sky is blue today! And: the sky is blue today', 2],
    ['We ship on Monday only.\nOther text.\nWe ship on Monday only.\nMore.\nwe ship on monday only', 3],
    ['спасибо спасибо спасибо спасибо', 4],
    ['ok. ok? fine. ok', 2],
    [`${'We ship on Monday only.\n'.repeat(9)}${Array.from({ length: 600 }, (_, at) => `w${at}`).join(' ')}`, 1],
    [`${'buy now '.repeat(9)}${Array.from({ length: 600 }, (_, at) => `w${at}`).join(' ')}`, 1],
  ])('counts repetitions in %j: %d', (text, expected) => {
    expect(repetitionOf(text)).toBe(expected);
  });

  it('handles long text', () => {
    expect(repetitionOf('word '.repeat(20_000))).toBe(20_000);
    expect(repetitionOf("a'".repeat(50_000))).toBeGreaterThanOrEqual(1);
    expect(repetitionOf('1'.repeat(100_000))).toBe(0);
  });
});
