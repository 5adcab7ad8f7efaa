import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../../src/guard/in-steps.js';
import { beyondAscii, literalsOf } from './literals.js';
import { inputSignals, toolResultSignals } from './signals.js';
import { createWordScanner } from './word-scanner.js';

describe('literalsOf', () => {
  it.each<[RegExp, readonly (readonly string[])[]]>([
    [/Ignore (?:all|every) rules/, [['ignore '], ['all', 'every'], [' rules']]],
    [/\bshow\W+(?:\w+\W+){0,3}?prompts?\b/i, [['show'], ['prompt']]],
    [/ab?c/, [['a'], ['c']]],
    [/(?:one|\d+)x/, [['x']]],
    [/(?:one|a\d+two)/, [['one', 'two']]],
    [/(?=later)(?!never)\d+/, []],
    [/забудь|forget/i, [[beyondAscii, 'forget']]],
    [/skip/iu, []],
    [/(?:no ){2,}way/, [['no '], ['way']]],
  ])('%s: %j', (regex, expected) => expect(literalsOf(regex)).toEqual(expected));

  it('finds literals for at least 90% of all signals', () => {
    const without = toolResultSignals.filter(({ pattern }) => literalsOf(pattern).length === 0);
    expect(without.length).toBeLessThan(inputSignals.length / 10);
  });
});

describe('createWordScanner', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 });
  const text = fc.string({ unit: fc.constantFrom('a', 'B', 'c', ' ', 'é'), maxLength: 30 });

  it('finds exactly the words in the text', () => {
    fc.assert(
      fc.property(fc.uniqueArray(word, { maxLength: 12 }), text, (words, given) => {
        const found = new Uint8Array(words.length);
        atOnce(createWordScanner(words).scan(given, found));
        expect(words.filter((_, index) => found[index] === 1)).toEqual(
          words.filter((each) => given.toLowerCase().includes(each)),
        );
      }),
    );
  });

  it('maps or skips characters with a read function', () => {
    const found = new Uint8Array(2);
    const read = (sign: string) => (sign === '1' ? 'i' : /[a-z]/.test(sign) ? sign : '');
    atOnce(createWordScanner(['ignore', beyondAscii], read).scan('1-g.N o r e', found));
    expect([...found]).toEqual([1, 0]);
  });
});
