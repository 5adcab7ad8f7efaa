import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { ValueSpan } from '../patterns/combine-finders.js';
import { findValues, personalKinds } from '../patterns/test-setup.js';
import { atOnce } from '../../src/guard/in-steps.js';
import { redactingTexts, type Redaction } from './redact-messages.js';
import type { TextSpan } from '../../src/guard/pattern.js';
import { times } from '../../test/modes.js';

const redacted = <Span extends TextSpan>(texts: readonly string[], redaction: Redaction<Span>) =>
  atOnce(redactingTexts(texts, redaction));

const digits: Redaction = {
  find: (text) => [...text.matchAll(/\d{4}/g)].map(({ index }) => ({ start: index, end: index + 4 })),
  replacement: () => '#',
};
const pii: Redaction<ValueSpan> = {
  find: (text) => findValues(text, personalKinds),
  replacement: ({ kind }) => `[${kind.toUpperCase()}]`,
};

describe('redactingTexts', () => {
  it('finds a value once, also if its replacement looks like a value', () => {
    const marks: Redaction = { ...digits, replacement: () => '0000' };
    expect(redacted(['1234'], marks)).toMatchObject({ texts: ['0000'], found: [{ start: 0, end: 4 }] });
  });

  it.each<[string[], string[]]>([
    [['a 1234 b'], ['a # b']],
    [['1234'], ['#']],
    [['12345678'], ['##']],
    [['no value'], ['no value']],
    [[], []],
    [
      ['', ''],
      ['', ''],
    ],
    [
      ['a 12', '34 b'],
      ['a #', ' b'],
    ],
    [
      ['a 1', '2', '34 b'],
      ['a #', '', ' b'],
    ],
    [
      ['1234', '5', '678'],
      ['#', '#', ''],
    ],
  ])('redacts %j to %j', (texts, expected) => {
    expect(redacted(texts, digits).texts).toEqual(expected);
  });

  it('redacts each text before joining, so that words next to a value remain', () => {
    expect(redacted(['Write to', 'jane@example.com'], pii).texts).toEqual(['Write to', '[EMAIL]']);
    expect(redacted(['Write to jane@exa', 'mple.com now'], pii).texts).toEqual(['Write to [EMAIL]', ' now']);
  });

  it('terminates if a replacement is itself a match', () => {
    const contradictory: Redaction = { ...digits, replacement: () => '0000' };
    expect(redacted(['1234'], contradictory).texts).toEqual(['0000']);
  });

  const piece = fc.oneof(
    fc.constantFrom('jane@example.com', '4111 1111 1111 1111', '536-90-4399', 'DE89370400440532013000', '+14155552671'),
    fc.constantFrom(' ', ', ', '@', '.', '-', '+', '4', '1111'),
    fc.string({ maxLength: 8 }),
  );
  const texts = fc.array(
    fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join('')),
    { maxLength: 4 },
  );

  it('is idempotent', () => {
    fc.assert(
      fc.property(texts, (each) => {
        const once = redacted(each, pii);
        const twice = redacted(once.texts, pii);
        expect(twice).toEqual({ texts: once.texts, found: [] });
      }),
      times(250, 1000),
    );
  });

  it('keeps the number of texts, and text without values', () => {
    fc.assert(
      fc.property(texts, (each) => {
        const emitted = redacted(each, pii);
        expect(emitted.texts).toHaveLength(each.length);
        if (emitted.found.length === 0) expect(emitted.texts).toEqual(each);
      }),
      times(150, 500),
    );
  });

  it('finds a value at any split between two texts', () => {
    for (const value of ['jane@example.com', '4111 1111 1111 1111', 'DE89370400440532013000'])
      for (let cut = 1; cut < value.length; cut++) {
        const emitted = redacted([`x ${value.slice(0, cut)}`, `${value.slice(cut)} y`], pii);
        // Values inside one text come first, so the start of a name or the end of a domain may stay next to them.
        expect(emitted.texts.join('')).toMatch(/^x [jane.]{0,5}\[(?:EMAIL|CARD|IBAN)\]m? y$/);
      }
  });
});
