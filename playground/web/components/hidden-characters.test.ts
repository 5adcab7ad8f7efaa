import { describe, expect, it } from 'vitest';
import { splitHidden } from './hidden-characters.js';

describe('splitHidden', () => {
  it('keeps words, tabs, line ends and emoji', () => {
    const text = 'Grüße,\tשלום 👩‍👩‍👧\nzweite Zeile\r\n';
    expect(splitHidden(text)).toEqual([{ text }]);
  });

  it.each([
    ['a bidirectional override', '\u202E', 'U+202E'],
    ['an isolate', '\u2066', 'U+2066'],
    ['a zero-width space', '\u200B', 'U+200B'],
    ['a tag', '\u{E0041}', 'U+E0041'],
    ['a control', '\u0007', 'U+0007'],
    ['a line separator', '\u2028', 'U+2028'],
  ])('names %s', (_, character, name) => {
    expect(splitHidden(`a${character}b`)).toEqual([{ text: 'a' }, { text: character, hidden: name }, { text: 'b' }]);
  });

  it('returns nothing for an empty text', () => {
    expect(splitHidden('')).toEqual([]);
  });
});
