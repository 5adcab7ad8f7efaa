import { describe, expect, it } from 'vitest';
import { linksIn } from './link-finder.js';

/** Each form of an address as written, with the address in it. */
const forms: readonly (readonly [written: string, address: string])[] = [
  ['https://a.example/x', 'https://a.example/x'],
  ['mailto:ann@a.example', 'mailto:ann@a.example'],
  ['[a](  /x?q=1)', '/x?q=1'],
  ['[a]:  //a.example/x', '//a.example/x'],
  ['URL( "https://a.example"', 'https://a.example'],
  ['href   =   "//a.example/x"', '//a.example/x'],
  ['content = "0 ; https://a.example"', 'https://a.example'],
  ['\\\\a.example\\x', '\\\\a.example\\x'],
  ['www.a.example', 'www.a.example'],
  ['example.com/x', 'example.com/x'],
  ['münchen.example.de/x', 'münchen.example.de/x'],
];

/** Words that have a sign of an address and are none. */
const words = ['Note:', 'f(x)', 'a = b', 'n=1;', '\\n', 'e.g.', '12:30', `${'x'.repeat(600)}(y)`, 'ä:', ']', ':'];

const addressesIn = (text: string): string[] => [...linksIn(text, 0)].map(({ start, end }) => text.slice(start, end));

describe('linksIn', () => {
  it.each(forms)('finds the address in %s between words with signs of one', (written, address) => {
    expect(addressesIn(written)).toContain(address);
    for (const word of words)
      for (const text of [`${word} ${written} ${word}`, `${word}\n${written}\n${word}`, `${word} ${word}\t${written}`])
        expect(addressesIn(text)).toContain(address);
  });

  it('finds none in such words', () => expect(words.flatMap((word) => addressesIn(`${word} ${word}\n`))).toEqual([]));
});
