import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffWords } from './diff-words.js';

const textOf = (kinds: readonly string[], before: string, after: string): string =>
  diffWords(before, after)
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ text }) => text)
    .join('');

describe('diffWords', () => {
  it('marks the changed words and keeps the others', () => {
    expect(diffWords('write to dana@example.com please', 'write to [EMAIL] please')).toEqual([
      { kind: 'same', text: 'write to ' },
      { kind: 'removed', text: 'dana@example.com' },
      { kind: 'added', text: '[EMAIL]' },
      { kind: 'same', text: ' please' },
    ]);
  });

  it('shows one change for words replaced by one word with a shared character', () => {
    expect(diffWords('Write to ann@example.org. Now?', 'Write to [EMAIL]. Now?')).toEqual([
      { kind: 'same', text: 'Write to ' },
      { kind: 'removed', text: 'ann@example.org' },
      { kind: 'added', text: '[EMAIL]' },
      { kind: 'same', text: '. Now?' },
    ]);
  });

  it('compares letters of scripts without blanks', () => {
    expect(diffWords('我的邮件', '你的邮件').at(-1)).toEqual({ kind: 'same', text: '的邮件' });
  });

  it('returns one unchanged part for equal texts', () => {
    expect(diffWords('as it was', 'as it was')).toEqual([{ kind: 'same', text: 'as it was' }]);
    expect(diffWords('', '')).toEqual([]);
  });

  it('contains both complete texts', () => {
    const words = fc
      .array(fc.constantFrom('a', 'b', ' ', '\n', '@', '.', '.b', '<b>', '\u202E', 'ß'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(words, words, (before, after) => {
        expect(textOf(['same', 'removed'], before, after)).toBe(before);
        expect(textOf(['same', 'added'], before, after)).toBe(after);
      }),
    );
  });

  it('skips the search for the smallest difference in huge texts', () => {
    const before = Array.from({ length: 8000 }, (_, index) => `a${index}`).join(' ');
    const after = Array.from({ length: 8000 }, (_, index) => `b${index}`).join('-');
    expect(diffWords(before, after).map(({ kind }) => kind)).toEqual(['removed', 'added']);
  });
});
