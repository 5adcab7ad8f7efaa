import { expect, it } from 'vitest';

import { pack, packText, unpack, unpackText } from './packed.js';

const long = JSON.stringify(Array.from({ length: 100 }, (_, stepNumber) => ({ type: 'step-finish', stepNumber, text: '😀' })));

it.each(['', 'short', '😀'.repeat(255), long])('a stored text is the same text again (%#)', (text) => {
  expect([unpack(pack(text) as string, 'run'), unpackText(packText(text), 'run')]).toEqual([text, text]);
});

it('stores a long text in a quarter of its length, and a short one as it is', () => {
  expect((pack(long) as Uint8Array<ArrayBuffer>).length).toBeLessThan(long.length / 4);
  expect(packText(long).length).toBeLessThan(long.length / 3);
  expect([pack('short'), packText('short')]).toEqual(['short', 'short']);
});

it('a damaged text is durable/damaged, with its place', () => {
  const damaged = (pack(long) as Uint8Array<ArrayBuffer>).subarray(0, 40);
  const error = expect.objectContaining({ code: 'durable/damaged', path: 'run entry 2' });
  expect(() => unpack(damaged, 'run entry 2')).toThrow(error);
  expect(() => unpackText(packText(long).slice(0, 60), 'run entry 2')).toThrow(error);
});
