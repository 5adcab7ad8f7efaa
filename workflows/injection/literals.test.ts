import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../../src/guard/in-steps.js';
import { beyondAscii, literalsOf, inputSignals, toolResultSignals } from './score-injection.js';
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

  it('finds the end of the last occurrence of each word, however it reads on', () => {
    fc.assert(
      fc.property(fc.uniqueArray(word, { maxLength: 12 }), text, fc.array(fc.nat(30)), (words, given, places) => {
        const { last, readTo } = createWordScanner(words)(given);
        for (const end of [...places, given.length]) atOnce(readTo(end));
        const ends = words.map((each) => given.toLowerCase().lastIndexOf(each) + each.length);
        expect([...last]).toEqual(words.map((each, index) => (given.toLowerCase().includes(each) ? ends[index] : 0)));
      }),
    );
  });

  it('maps or skips characters with a read function', () => {
    const read = (sign: string) => (sign === '1' ? 'i' : /[a-z]/.test(sign) ? sign : '');
    const { last, readTo } = createWordScanner(['ignore', beyondAscii], read)('1-g.N o r e');
    atOnce(readTo(100));
    expect([...last]).toEqual([11, 0]);
  });
});
