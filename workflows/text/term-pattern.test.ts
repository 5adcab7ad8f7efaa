import { describe, expect, it } from 'vitest';
import { termPattern } from './term-pattern.js';

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
