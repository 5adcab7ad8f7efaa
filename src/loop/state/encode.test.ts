import { describe, expect, it } from 'vitest';

import { InterlockError, isInterlockError } from '../../errors.js';
import { decode, encode } from './encode.js';

const again = (value: unknown): unknown => decode(encode(value));

describe('encode and decode', () => {
  it('round-trip data, including dates, bytes and undefined fields', () => {
    const value = {
      at: new Date(5),
      bytes: new Uint8Array([1, 2]),
      gone: undefined,
      list: [1, null, 'x', -0],
      map: new Map([['a', { b: 1 }]]),
      set: new Set([1]),
    };
    expect(again(value)).toEqual(value);
    expect(Object.hasOwn(again(value) as object, 'gone')).toBe(true);
  });

  it('keep shared references', () => {
    const step = { text: 'x'.repeat(1_000) };
    const [a, b] = again([step, step]) as object[];
    expect(a).toBe(b);
    expect(encode([step, step]).length).toBeLessThan(1_100);
  });

  it('keep the code, path, message and cause of an InterlockError', () => {
    const error = new InterlockError('guard/unavailable', {
      path: 'input pii',
      detail: 'down',
      cause: new TypeError('no route'),
    });
    const revived = again(error) as InterlockError;
    expect(isInterlockError(revived, 'guard/unavailable')).toBe(true);
    expect([revived.message, revived.path, revived.actor]).toEqual([error.message, error.path, error.actor]);
    expect(revived.cause).toMatchObject({ name: 'TypeError', message: 'no route' });
  });

  it('keep the fields of a provider error', () => {
    const error = Object.assign(new Error('Too many requests.'), { statusCode: 429, isRetryable: true, call: () => 1 });
    expect(again(error)).toMatchObject({ message: 'Too many requests.', statusCode: 429, isRetryable: true });
    expect(again(error)).toBeInstanceOf(Error);
    expect(again(new Error('Failed.', { cause: error }))).toMatchObject({ cause: { statusCode: 429 } });
  });

  it('reject a value that is not data, with its path', () => {
    class Client {
      readonly url = 'http://localhost';
    }
    expect(() => encode({ slots: { pii: { client: new Client() } } })).toThrow(
      expect.objectContaining({ code: 'durable/unkept-value', path: 'slots.pii.client' }),
    );
    expect(() => encode({ hook: () => 1 })).toThrow(expect.objectContaining({ code: 'durable/unkept-value', path: 'hook' }));
    expect(() => encode([{ hook: () => 1 }])).toThrow(expect.objectContaining({ path: '[0].hook' }));
  });

  it('rethrow the error of a getter', () => {
    const reading = {
      get text(): string {
        throw new RangeError('Read too early.');
      },
    };
    expect(() => encode(reading)).toThrow(RangeError);
  });
});
