import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stripQuotedSecrets } from './secrets.js';

describe('stripQuotedSecrets', () => {
  it.each([
    ['Found jane@example.com here.', 'jane@example.com', 4, 'Found … here.'],
    ['Found jane@exam', 'jane@example.com', 4, 'Found …'],
    ['ple.com and jane', 'jane@example.com', 4, '… and …'],
    ['Pin 123 it is.', '123', 4, 'Pin … it is.'], // shorter than the minimum: all of it
    ['No such values.', 'jane@example.com', 4, 'No such values.'],
    ['A word of the text', 'Many a word of the text stands here.', 16, 'A…'],
    ['A word', 'Many a word of the text stands here.', 16, 'A word'],
    ['anything', '', 4, 'anything'],
  ])('reads %j and strips quotes of %j from %i characters', (text, content, fromChars, expected) => {
    expect(stripQuotedSecrets(text, { content, fromChars })).toBe(expected);
  });

  it('law: removes every quote of the minimum length, and keeps the text if the content is empty', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 20 });
    fc.assert(
      fc.property(letters, letters, fc.integer({ min: 1, max: 6 }), (text, content, fromChars) => {
        const kept = stripQuotedSecrets(text, { content, fromChars });
        const least = Math.min(fromChars, content.length);
        for (let at = 0; least > 0 && at + least <= kept.length; at += 1)
          expect(content).not.toContain(kept.slice(at, at + least));
        if (least === 0) expect(kept).toBe(text);
      }),
    );
  });
});
