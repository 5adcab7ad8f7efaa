import { RegExpParser } from '@eslint-community/regexpp';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beginningsOf, symbolOf, symbolsOf } from './beginnings.js';
import { createSieve } from './sieve.js';

const beginnings = (regex: RegExp) => beginningsOf(new RegExpParser().parseLiteral(String(regex)));
const symbols = (text: string): number[] => Array.from({ length: text.length }, (_, at) => symbolOf(text.charCodeAt(at)));

const expressions: readonly RegExp[] = [
  /gh[pousr]_[A-Za-z0-9]{20,24}/,
  /(?:sk|rk|pk)_(?:live|test)_[a-z]{3}/i,
  /-----BEGIN [A-Z ]{1,5}-----/,
  /pass(?:word|wd)?(?:[_-](?:key|id))?[:=] ?["']?\w{3}/i,
  /a?b{0,2}c{2,3}d?[ef]g/,
  /(?:a|bc|d[xy]e)(?:f|ghi)*jkl/,
  /пароль: \d{4}/,
  /[\d.]{2}x\.y/,
  /ok\s\S{2}/u,
];

test('every match begins with one of the beginnings', () => {
  for (const regex of expressions) {
    const all = beginnings(regex) ?? [];
    expect(all.length, String(regex)).toBeGreaterThan(0);
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(regex.source, regex.flags.replace('i', ''))), fc.boolean(), (given, isUpper) => {
        const text = isUpper && regex.ignoreCase ? given.toUpperCase() : given;
        const start = regex.exec(text)?.index ?? 0;
        expect(
          all.some((sets) => sets.every((set, at) => symbolsOf(set).includes(symbols(text)[start + at] ?? -1))),
          `${String(regex)} ${JSON.stringify(text)}`,
        ).toBe(true);
      }),
    );
  }
});

test('a beginning ends before a back reference', () => {
  expect(beginnings(/(?<x>ab)\k<x>cd/)).toEqual([symbols('ab').map((symbol) => 1 << symbol)]);
});

test('an expression with a short match, or too many beginnings, has none', () => {
  for (const regex of [/a/, /a?b?/, /ab|c/, /[a-z]{3}/, /.{4}/, /[A-Za-z0-9]{9}key/])
    expect(beginnings(regex), String(regex)).toBeUndefined();
});

test('a sieve finds the places of each finder, wherever the search starts and ends', () => {
  const sieve = createSieve();
  const forms = [/key-\d/, /tok_\w{2}/i, /-p./];
  const places = forms.map((form) => sieve.add(beginnings(form)));
  const text = fc
    .array(fc.constantFrom('key-1', 'KEY_', 'tok_ab', '-p', 'xyz', ' ', 'é', '-'), { maxLength: 60 })
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, fc.nat(300), fc.nat(300), (all, from, until) => {
      for (const [index, form] of forms.entries()) {
        const found: number[] = [];
        const next = (at: number) => places[index]?.next(all, at, until) ?? until;
        for (let at = next(from); at < until; at = next(at + 1)) found.push(at);
        const matches = [...all.matchAll(new RegExp(`(?=${form.source})`, `g${form.flags}`))].map((match) => match.index);
        expect(found).toEqual(expect.arrayContaining(matches.filter((at) => at >= from && at < until)));
        expect(found.length > 0 && places[index]?.may(all, from, until) === false).toBe(false);
        const match = matches.find((at) => at >= from);
        const cut = all.slice(0, (match ?? 0) + 1 + (until % 4)); // in a match, or after its beginning
        if (match !== undefined) expect(places[index]?.mayBeOpen(cut, from)).toBe(true);
      }
    }),
  );
});

test('a match at the end of a text may be shorter than a beginning', () => {
  const places = createSieve().add(beginnings(/ab|cd/));
  expect(places?.next('see ab', 0, 6)).toBe(4);
});

test('a character outside the basic plane has two units', () => {
  const places = createSieve().add(beginnings(/[é😀]abc/u));
  expect(['éabc', '😀abc'].map((text) => places?.next(text, 0, text.length))).toEqual([0, 0]);
});

test('a sieve has places for 32 different finders', () => {
  const sieve = createSieve();
  const added = Array.from({ length: 40 }, (_, index) => sieve.add([[1 << (index % 26), 1 << (index >> 3), 3]]));
  expect(added.filter(Boolean)).toHaveLength(32);
  expect(sieve.add([[1, 1, 3]])).toBe(added[0]);
});
