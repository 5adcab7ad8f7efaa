import { inspect } from 'node:util';
import { APICallError } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { InterlockError } from '../errors.js';
import { cutQuotesOf, stripQuotedError } from './strip-quoted-error.js';

const secret = 'My mail is mara.quill@example.com, my number 44 71.';
const cut = cutQuotesOf(secret);
const strip = (error: unknown) => stripQuotedError(error, cut) as Error;

/** All forms of an error in JSON, copies and logs. */
const copiesOf = (error: Error): string =>
  [
    JSON.stringify(error),
    JSON.stringify(Object.assign({}, error)),
    inspect(error, { depth: 9 }),
    error.message,
    error.stack,
  ].join('\n');

class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status = 503;
  readonly config = { data: JSON.stringify({ prompt: secret }) };
  readonly request = { body: secret };
  readonly response = { body: secret };
  readonly prompt = secret;
  toJSON() {
    return { message: this.message, config: this.config };
  }
}

const apiError = () =>
  new APICallError({
    message: 'Too many requests.',
    url: 'https://provider.example/v1',
    requestBodyValues: { prompt: secret },
    responseHeaders: { echo: secret },
    responseBody: secret,
    statusCode: 429,
    isRetryable: true,
    cause: new Error('socket', { cause: { body: secret } }),
  });

const circular = () => {
  const error = new Error('circular') as Error & { cause?: unknown };
  error.cause = new Error(secret, { cause: error });
  return error;
};

describe('stripQuotedError', () => {
  it.each<[string, () => Error]>([
    ['fields of any name', () => new HttpError('down')],
    ['an error of the AI SDK', apiError],
    ['a frozen error', () => Object.freeze(apiError())],
    ['a sealed error', () => Object.seal(new HttpError('down'))],
    ['a custom `toJSON`', () => Object.assign(new Error('down'), { toJSON: () => ({ body: secret }) })],
    ['a read-only `toJSON`', () => Object.defineProperty(new Error('down'), 'toJSON', { value: () => secret })],
    ['the message', () => new HttpError(`Cannot read "${secret}"`)],
    ['a cause', () => new Error('down', { cause: apiError() })],
    ['a cause that is not an error', () => new Error('down', { cause: { body: secret } })],
    ['a string as the cause', () => new Error('down', { cause: secret })],
    ['an AggregateError', () => new AggregateError([new HttpError(secret), { body: secret }, secret], 'all failed')],
    ['visible fields', () => Object.assign(new Error('down'), { code: secret, reason: `bad: ${secret}` })],
    ['a symbol field', () => Object.assign(new Error('down'), { [Symbol('body')]: secret })],
    ['a circular cause', circular],
  ])('hides quotes of the prompt in %s', (_case, make) => {
    const error = make();
    const { constructor } = error;
    const stripped = strip(error);
    expect(copiesOf(stripped)).not.toMatch(/mara|44 71/);
    expect(stripped).toBeInstanceOf(constructor);
    expect(stripped.name).toBe(error.name);
  });

  it('keeps the fields that callers check, also on a frozen error', () => {
    const frozen = strip(Object.freeze(apiError())) as APICallError;
    expect(APICallError.isInstance(frozen)).toBe(true);
    expect(frozen).toMatchObject({ statusCode: 429, isRetryable: true, message: 'Too many requests.' });
    expect(JSON.parse(JSON.stringify(frozen))).toEqual({ name: 'AI_APICallError', statusCode: 429, isRetryable: true });
  });

  it('returns the same error if nothing is cut, and keeps hidden fields readable for code', () => {
    const error = apiError();
    expect(strip(error)).toBe(error);
    expect(error.requestBodyValues).toEqual({ prompt: secret });
    expect((strip(new Error('down', { cause: { body: secret } })).cause as { body: string }).body).toBe(secret);
  });

  it.each<[string, () => unknown]>([
    ['a body', () => ({ type: 'overloaded', body: secret, error: { message: secret } })],
    ['a list', () => [{ type: 'overloaded', body: secret }, new Error(secret)]],
    ['lists in an AggregateError', () => new AggregateError([[new Error(secret)], { type: 'overloaded', body: secret }], secret)],
    ['nested causes', () => new Error(secret, { cause: new Error('b', { cause: { type: 'overloaded', body: secret } }) })],
  ])('hides quotes in values that are not errors: %s', (_, make) => {
    for (const error of [strip(make()), strip(new Error('top', { cause: make() }))]) {
      const { cause, errors } = error as { cause?: unknown; errors?: unknown };
      const { cause: deepest } = (cause ?? {}) as { cause?: unknown };
      const copies = [error, cause, errors, deepest].map((one) => `${JSON.stringify(one)} ${inspect(one, { depth: 9 })}`).join();
      expect(copies).not.toMatch(/mara|44 71/);
    }
    expect(JSON.stringify(strip({ type: 'overloaded', body: secret }))).toBe('{"type":"overloaded"}');
  });

  it('returns an error for an unreadable value', () => {
    const hostile = new Proxy(new Error('x'), {
      ownKeys: () => {
        throw new Error('no');
      },
    });
    expect(strip(hostile).message).toBe('The error cannot be read.');
    const failed = new InterlockError('guard/unavailable', { path: 'input judge', cause: hostile });
    expect(strip(failed)).toMatchObject({ code: 'guard/unavailable', path: 'input judge' });
    expect(inspect(strip(failed))).not.toContain('[cause]');
  });

  it('does not cut short words and partial matches from messages', () => {
    expect(cutQuotesOf('test')('a test error')).toBe('a test error');
    expect(cutQuotesOf('ann@a.org')('No ann@a.org. Not ann@a.orgs, bo@a.org')).toBe('No …. Not ann@a.orgs, bo@a.org');
  });
});
