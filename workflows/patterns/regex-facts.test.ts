import { RegExpParser } from '@eslint-community/regexpp';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { type AsciiSet, asciiSet, indexOfAny, runOf } from './ascii-set.js';
import { alphabetOf, leastLengthOf } from './regex-facts.js';

const alphabet = (regex: RegExp) => alphabetOf(new RegExpParser().parseLiteral(String(regex)));
const charactersOf = (set: AsciiSet) => String.fromCharCode(...[...set.keys()].filter((code) => set[code]));
const has = (set: AsciiSet, character: string) => indexOfAny(set, character, { from: 0, until: character.length }) === 0;

it.each<[RegExp, begins: string, has: string]>([
  [/ab?c/, 'a', 'abc'],
  [/a?b/, 'ab', 'ab'],
  [/(?:a|b?)(?<x>c)\1/, 'abc', 'abc'],
  [/(?<!\d)(?=x)[1-3]{2}(?!\w)/, '123', '123'],
  [/(?:a?){2}b{1,3}/, 'ab', 'ab'],
  [/\bx\d/, 'x', '0123456789x'],
  [/a/i, 'Aa', 'Aa'],
  [/[^\s\S]|[ab]/u, 'ab', 'ab'],
  [/[[a-c]--[b]]/v, 'ACac', 'ACac'],
])('%s', (regex, begins, members) => {
  const { first, any } = alphabet(regex);
  const small = (text: string) => new Set(text.toLowerCase());
  expect(small(charactersOf(first))).toEqual(small(begins));
  expect(small(charactersOf(any))).toEqual(small(members));
});

it('accepts any character beyond ASCII, and any character for string sets', () => {
  expect(has(alphabet(/a/).any, 'é')).toBe(true);
  const { first, any } = alphabet(/[\q{abc|x}]/v);
  expect([charactersOf(first), charactersOf(any)].map(({ length }) => length)).toEqual([128, 128]);
});

describe('properties', () => {
  const expressions = [
    /\bNO-\d{4,6}\b/,
    /(ab|cd)\1{1,3}/,
    /(?<=x)(?:y|(?!zz)z)[a-f]?/,
    /.\s[^a]/,
    /(?i:QU)ux?/,
    /(?s:.)!/,
    /[\p{L}--[a-z]]{1,3}@/v,
    /😀?:\)/u,
  ];
  const text = fc.string({ unit: fc.constantFrom(...Array.from('NO-0123456abcdxyzfQquUX !:)@\n\u00e9😀')) });

  it.each(expressions)('%s: a match contains only characters of the alphabet', (regex) => {
    const { first, any } = alphabet(regex);
    fc.assert(
      fc.property(text, (each) => {
        for (const { 0: match } of each.matchAll(new RegExp(regex, `${regex.flags}g`))) {
          expect(has(first, match)).toBe(true);
          expect(Array.from(match).filter((character) => !has(any, character))).toEqual([]);
        }
      }),
      { numRuns: 500 },
    );
  });
});

it.each<[RegExp, number]>([
  [/abc|de/, 2],
  [/a{2,3}(?:b|)c?/, 2],
  [/(?<=long)a(?=more)/, 1],
  [/(a)\1/, 1],
  [/[\q{abc|}]d/v, 1],
])('the least length of %s', (regex, least) => {
  expect(leastLengthOf(new RegExpParser().parseLiteral(String(regex)).pattern)).toBe(least);
});

it('finds runs of characters that are long enough', () => {
  const digits = asciiSet((character) => /\d/.test(character));
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('1', '2', 'a', ' ') }), fc.integer({ min: 1, max: 4 }), (text, least) => {
      const found: string[] = [];
      for (let run = runOf(digits, text, { from: 0, least }); run; run = runOf(digits, text, { from: run.end, least }))
        found.push(text.slice(run.start, run.end));
      expect(found).toEqual(text.match(new RegExp(`\\d{${least},}`, 'g')) ?? []);
    }),
  );
});
