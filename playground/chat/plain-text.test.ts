import { describe, expect, it } from 'vitest';
import { oneLine, plain } from './plain-text.js';

const escape = '\u001b';

describe('model text in the terminal', () => {
  it('contains no terminal commands, even when one was split', () => {
    const text = `A${escape}[2J${escape}]0;title\u0007 perfectly\r ordinary\u009b answer\u202e.\n\tYes.`;
    expect(plain(text)).toBe('A[2J]0;title perfectly ordinary answer.\n\tYes.');
    expect(Array.from(text, plain).join('')).toBe(plain(text));
  });

  it('is shortened to one line', () => {
    expect(oneLine(' a\n b 👋👋 ', 6)).toBe('a b 👋👋');
    expect(oneLine('abcdef', 4)).toBe('abc…');
  });
});
