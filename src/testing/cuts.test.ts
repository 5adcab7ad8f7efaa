import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { cutInsideCodePoints, cutInsideLineEnds, cutInsidePrefixes } from '../../test/provider/cut-places.js';
import { createCutter, type Cut } from './cuts.js';

const anyCut: fc.Arbitrary<Cut> = fc.oneof(
  fc.constantFrom<Cut>('whole', 'byte', Infinity, cutInsideCodePoints, cutInsideLineEnds, cutInsidePrefixes),
  fc.integer({ min: 1, max: 40 }),
  fc.array(fc.integer({ min: -5, max: 60 })).map(
    (positions): Cut =>
      () =>
        positions,
  ),
);

const writesOf = (cut: Cut, events: readonly Uint8Array[]): Uint8Array[] => {
  const cutter = createCutter(cut);
  return [...events.flatMap((event) => cutter.push(event)), ...cutter.flush()];
};

const pieces = (cut: Cut, text: string): string[] =>
  writesOf(cut, [Buffer.from(text)]).map((bytes) => Buffer.from(bytes).toString('latin1'));

describe('createCutter', () => {
  it('keeps every byte, and makes no empty write', () => {
    const events = fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }));
    fc.assert(
      fc.property(anyCut, events, (cut, list) => {
        const writes = writesOf(cut, list);
        expect(Buffer.concat(writes)).toEqual(Buffer.concat(list));
        expect(writes.every(({ length }) => length > 0)).toBe(true);
      }),
    );
  });

  it('keeps the size across events', () => {
    const writes = writesOf(4, [Buffer.from('abcdef'), Buffer.from('ghi'), Buffer.from('j')]);
    expect(writes.map(String)).toEqual(['abcd', 'efgh', 'ij']);
  });

  it('rejects a size below 1', () => {
    expect(() => createCutter(0)).toThrow(RangeError);
    expect(() => createCutter(Number.NaN)).toThrow(RangeError);
  });
});

describe('the predefined cuts', () => {
  it('lie inside code points', () => {
    expect(pieces(cutInsideCodePoints, 'aä🦊')).toEqual(['a\xc3', '\xa4\xf0', '\x9f', '\xa6', '\x8a']);
  });

  it('lie inside the prefix', () => {
    expect(pieces(cutInsidePrefixes, 'data: 1\n\ndata: 2\n\n')).toEqual(['da', 'ta: 1\n\nda', 'ta: 2\n\n']);
  });

  it('lie inside line ends', () => {
    expect(pieces(cutInsideLineEnds, 'a\r\n\r\nb')).toEqual(['a\r', '\n', '\r', '\n', 'b']);
  });
});
