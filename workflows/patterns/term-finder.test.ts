import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { flushText, nothingPending, pushText } from '../stream/hold-back.js';
import { termPattern, termFinder } from './term-finder.js';
import { combineFinders } from './combine-finders.js';
import { times } from '../../test/modes.js';

const found = (terms: readonly string[], text: string, wholeWords = true): string[] =>
  termFinder(terms, wholeWords)
    .find(text, 0)
    .map(({ start, end }) => text.slice(start, end));

describe('termFinder', () => {
  it.each([
    ['idiot', 'You IDIOT!', 'IDIOT'],
    ['idiot', 'idi\u200Bot', 'idi\u200Bot'],
    ['idiot', 'ｉｄｉｏｔ', 'ｉｄｉｏｔ'],
    ['idiot', 'an 𝐢𝐝𝐢𝐨𝐭.', '𝐢𝐝𝐢𝐨𝐭'],
    ['office', 'my oﬃce', 'oﬃce'],
    ['kill yourself', 'go kill \n  yourself', 'kill \n  yourself'],
    ['kill yourself', 'kill\u3000yourself', 'kill\u3000yourself'],
    ['naïve', 'so NAI\u0308VE', 'NAI\u0308VE'],
    ['nai\u0308ve', 'so naïve', 'naïve'],
    ['größe', 'Die GRÖßE?', 'GRÖßE'],
    ['ΟΔΟΣ', 'η οδος', 'οδος'],
    ['οδος', 'Η ΟΔΟΣ', 'ΟΔΟΣ'],
    ['坏词', '这是坏词吗', '坏词'],
    ['c++', 'I hate C++.', 'C++'],
    ['$$$', 'earn $$$ now', '$$$'],
    ['🐍🐍', 'a🐍🐍', '🐍🐍'],
    ['가', '가', '가'],
  ])('finds %j in %j', (term, text, value) => expect(found([term], text)).toEqual([value]));

  it.each([
    ['ass', 'first class'],
    ['ass', 'assess'],
    ['idiot', 'idiot_count'],
    ['naïve', 'naïveté'],
    ['naive', 'naïve'],
    ['nai', 'nai\u0308'],
    ['kill yourself', 'kill the process yourself'],
    ['kill yourself', 'killyourself'],
    ['a.b', 'aXb'],
    ['가', '각'],
    ['idiot', `idi${'\u200B'.repeat(17)}ot`],
    ['go to', `go${' '.repeat(65)}to`],
  ])('does not find %j in %j', (term, text) => expect(found([term], text)).toEqual([]));

  it('prefers the longer term, finds parts of words if configured, and finds nothing without terms', () => {
    expect(found(['go', 'go to hell'], 'go to hell, go')).toEqual(['go to hell', 'go']);
    expect(found(['ass'], 'first class', false)).toEqual(['ass']);
    expect(found(['', ' '], 'anything', false)).toEqual([]);
  });

  const terms = ['idiot', 'go to hell', 'go', 'ff', '坏词', 'naïve', '🐍🐍', 'a-b', 'c++', 'ΟΔΟΣ'];
  const words =
    'idiot|go to hell|idi|ot|go| |  |to|hell|\u200B|\n|ｉｄ|𝐢𝐨𝐭|ﬀ|ﬃ|f|坏|词|nai|naï|\u0308|ve|🐍|x|.|a|-|b|C|+|οδ|ος|Ο';
  const piece = fc.constantFrom(...words.split('|'), '\u200B'.repeat(16), ' '.repeat(63));
  const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));

  it.each([true, false])('whole words %s: the output does not depend on the chunks', (wholeWords) => {
    const editing = { pattern: combineFinders([['term', termFinder(terms, wholeWords)]]), replace: () => '[]' };
    fc.assert(
      fc.property(text, fc.infiniteStream(fc.integer({ min: 1, max: 5 })), (each, sizes) => {
        let [held, joined] = [nothingPending, ''];
        for (let at = 0; at < each.length;) {
          const size = sizes.next().value;
          const pushed = pushText(held, each.slice(at, at + size), editing);
          held = pushed.held;
          joined += pushed.released;
          at += size;
        }
        expect(joined + flushText(held, editing)).toBe(flushText({ text: each, from: 0 }, editing));
      }),
      times(500, 3000),
    );
  });

  it.each([true, false])('whole words %s: finds the matches of the pattern in text without compatibility forms', (wholeWords) => {
    const plain = fc
      .array(fc.constantFrom('idiot', 'go', ' to ', 'hell', ' ', 'idi', 'ot', 'x', '.', 'c++', 'a-b', '坏词', '\u200B', '🐍'), {
        maxLength: 10,
      })
      .map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(plain, (each) => {
        expect(found(terms, each, wholeWords)).toEqual(each.match(termPattern(terms, wholeWords)) ?? []);
      }),
      times(250, 1000),
    );
  });

  it('buffers a bounded amount of any text', () => {
    const pattern = combineFinders([['term', termFinder(terms, true)]]);
    for (const each of ['go ', 'i\u200B', 'ｉ', 'ﬀ', '🐍', 'a', 'idio', ' ', '\u0308']) {
      let held = nothingPending;
      for (let count = 0; count < 500; count++) {
        held = pushText(held, each, { pattern, replace: () => '' }).held;
        expect(held.text.length - held.from).toBeLessThanOrEqual(Number(pattern.maxLength) + pattern.lookahead);
      }
    }
  });
});

const finds = (term: string, text: string, wholeWords = true) => text.search(termPattern([term], wholeWords)) >= 0;

describe('termPattern', () => {
  it.each([
    ['idiot', 'You IDIOT!'],
    ['idiot', '"idiot"'],
    ['idiot', 'idi\u200Bot'],
    ['kill yourself', 'go kill \n  yourself'],
    ['größe', 'Die GRÖSSE?'.replace('SS', 'ß')],
    ['дурак', 'Ты Дурак.'],
    ['حمار', 'يا حمار!'],
    ['坏词', '这是坏词吗'],
    ['c++', 'I hate C++.'],
    ['$$$', 'earn $$$ now'],
    ['a-b', 'an a-b test'],
    ['naïve', 'so NAÏVE'],
  ])('finds %j in %j', (term, text) => {
    expect(finds(term, text)).toBe(true);
  });

  it.each([
    ['ass', 'first class'],
    ['ass', 'assess'],
    ['die', 'Diesel'],
    ['дурак', 'дураками'],
    ['naïve', 'naïveté'],
    ['kill yourself', 'kill the process yourself'],
    ['a.b', 'aXb'],
    ['idiot', 'idiot_count'],
  ])('does not find %j in %j', (term, text) => {
    expect(finds(term, text)).toBe(false);
  });

  it('finds parts of words if configured', () => {
    expect(finds('ass', 'first class', false)).toBe(true);
  });

  it('matches nothing without terms', () => {
    expect('anything'.search(termPattern([], true))).toBe(-1);
    expect('anything'.search(termPattern(['', '  '], true))).toBe(-1);
  });

  it('prefers the longer term', () => {
    expect('go to hell now'.match(termPattern(['go', 'go to hell'], true))).toEqual(['go to hell']);
  });
});
