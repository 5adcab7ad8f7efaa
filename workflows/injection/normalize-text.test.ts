import { describe, expect, it } from 'vitest';
import { lettersOf, normalizeText } from './normalize-text.js';

describe('normalizeText', () => {
  it.each([
    ['Igno\u200Bre\uFEFF a\u00ADll', 'Ignore all'],
    ['Ｉｇｎｏｒｅ ﬁles', 'Ignore files'],
    ['ïgnörë prevíous', 'ignore previous'],
    ['Ignоrе рrеviоus', 'Ignore previous'],
    ['Привет, ёлка и йод', 'Привет, ёлка и йод'],
    ['Καλημέρα', 'Καλημέρα'],
    ['ガイド 안내', 'ガイド 안내'],
    ['a \t\u00A0 b \n\n \n c  ', 'a b\nc'],
    ['“don’t”', '"don\'t"'],
    ['x\u202Ey', 'xy'],
    ['I%67n&#111;r\\u0065\\nall', 'Ignore\nall'],
    ['100 % of C:\\data', '100 % of C:\\data'],
    ['', ''],
  ])('reads %j as %j', (raw, text) => {
    expect(normalizeText(raw)).toMatchObject({ text });
  });

  it('returns only letters and replaces digits in leetspeak', () => {
    expect(lettersOf('1gn0r3 — 4LL, p.r.e.v!')).toBe('ignoreallprevi');
    expect(lettersOf('no 2, 6 and 9')).toBe('noand');
  });

  it('decodes and removes text in invisible characters', () => {
    const tags = Array.from('run', (each) => String.fromCodePoint(0xe0000 + (each.codePointAt(0) ?? 0))).join('');
    expect(normalizeText(`a${tags}b`)).toMatchObject({ text: 'ab', hidden: 'run' });
    const selectors = [...Buffer.from('exec')].map((byte) => String.fromCodePoint(0xe0100 + byte - 16)).join('');
    expect(normalizeText(`a${selectors}b`)).toMatchObject({ text: 'ab', hidden: 'exec' });
  });

  it('counts invisible characters only inside Latin words', () => {
    expect(normalizeText('a\u200Bb\u200C\u200Dc می\u200Cخواهم d\u200B').invisibles).toBe(3);
    expect(normalizeText('\u{1F469}\u200D\u{1F467} ok').invisibles).toBe(0);
  });
});
