import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { fullUsage, splitInto, splitText, toolInput } from './scripted-parts.js';

const texts = fc.string({ unit: 'grapheme', maxLength: 40 });

describe('splitText', () => {
  it('keeps the text and cuts no code point', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 50 }), (text, chars) => {
        const deltas = splitText(text, chars);
        expect(deltas.join('')).toBe(text);
        expect(deltas.every((delta) => delta !== '' && !/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(delta))).toBe(true);
      }),
    );
  });

  it('keeps given pieces, and rejects pieces that do not add up', () => {
    expect(splitText('abc', ['a', '', 'bc'])).toEqual(['a', '', 'bc']);
    expect(() => splitText('abc', ['a', 'b'])).toThrow('do not add up');
    expect(() => splitText('abc', 0)).toThrow(RangeError);
  });
});

it('splitInto makes at most the given number of pieces', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 9 }), (text, pieces) => {
      const deltas = splitInto(text, pieces);
      expect(deltas.join('')).toBe(text);
      expect(deltas.length).toBeLessThanOrEqual(pieces);
    }),
  );
});

it('toolInput returns values as JSON and strings unchanged', () => {
  expect(toolInput({ name: 't', args: { a: 1 } })).toBe('{"a":1}');
  expect(toolInput({ name: 't', args: undefined })).toBe('{}');
  expect(toolInput({ name: 't', args: '{"a":' })).toBe('{"a":');
});

it('fullUsage adds the total', () => {
  expect(fullUsage({ inputTokens: 3, outputTokens: 4 }).totalTokens).toBe(7);
  expect(fullUsage({ inputTokens: 3, outputTokens: 4, totalTokens: 9 }).totalTokens).toBe(9);
});
