import { inspect } from 'node:util';
import { APICallError } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { cutQuotesOf, stripQuotedError } from './strip-quoted-error.js';

const secret = 'My mail is mara.quill@example.com, my number 4471.';
const cut = cutQuotesOf(secret);
const shown = (error: unknown) => stripQuotedError(error, cut) as Error;

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

describe('unquotedError', () => {
  it.each<[string, () => Error]>([
    ['fields of any name', () => new HttpError('down')],
    ['an error of the AI SDK', apiError],
    ['a frozen one', () => Object.freeze(apiError())],
    ['a sealed one', () => Object.seal(new HttpError('down'))],
    ['a `toJSON` of its own', () => Object.assign(new Error('down'), { toJSON: () => ({ body: secret }) })],
    ['a fixed `toJSON`', () => Object.defineProperty(new Error('down'), 'toJSON', { value: () => secret })],
    ['its message', () => new HttpError(`Cannot read "${secret}"`)],
    ['a cause', () => new Error('down', { cause: apiError() })],
    ['a cause that is no error', () => new Error('down', { cause: { body: secret } })],
    ['a cause that is a text', () => new Error('down', { cause: secret })],
    ['several errors', () => new AggregateError([new HttpError(secret), { body: secret }, secret], 'all failed')],
    ['a shown field that quotes', () => Object.assign(new Error('down'), { code: secret, reason: `bad: ${secret}` })],
    ['a field of a symbol', () => Object.assign(new Error('down'), { [Symbol('body')]: secret })],
    ['a circle', circular],
  ])('hides what quotes the prompt: %s', (_case, make) => {
    const error = make();
    const { constructor } = error;
    const told = shown(error);
    expect(copiesOf(told)).not.toMatch(/mara|4471/);
    expect(told).toBeInstanceOf(constructor);
    expect(told.name).toBe(error.name);
  });

  it('keeps what callers decide by, also of a frozen error', () => {
    const frozen = shown(Object.freeze(apiError())) as APICallError;
    expect(APICallError.isInstance(frozen)).toBe(true);
    expect(frozen).toMatchObject({ statusCode: 429, isRetryable: true, message: 'Too many requests.' });
    expect(JSON.parse(JSON.stringify(frozen))).toEqual({ name: 'AI_APICallError', statusCode: 429, isRetryable: true });
  });

  it('is the same error where nothing has to be cut, and code can read the fields that it hides', () => {
    const error = apiError();
    expect(shown(error)).toBe(error);
    expect(error.requestBodyValues).toEqual({ prompt: secret });
    expect((shown(new Error('down', { cause: { body: secret } })).cause as { body: string }).body).toBe(secret);
  });

  it.each<[string, () => unknown]>([
    ['a body', () => ({ type: 'overloaded', body: secret, error: { message: secret } })],
    ['a list', () => [{ type: 'overloaded', body: secret }, new Error(secret)]],
    ['lists in an AggregateError', () => new AggregateError([[new Error(secret)], { type: 'overloaded', body: secret }], secret)],
    ['causes of causes', () => new Error(secret, { cause: new Error('b', { cause: { type: 'overloaded', body: secret } }) })],
  ])('hides what is no error the same way: %s', (_, make) => {
    for (const error of [shown(make()), shown(new Error('top', { cause: make() }))]) {
      const { cause, errors } = error as { cause?: unknown; errors?: unknown };
      const { cause: deepest } = (cause ?? {}) as { cause?: unknown };
      const said = [error, cause, errors, deepest].map((one) => `${JSON.stringify(one)} ${inspect(one, { depth: 9 })}`).join();
      expect(said).not.toMatch(/mara|4471/);
    }
    expect(JSON.stringify(shown({ type: 'overloaded', body: secret }))).toBe('{"type":"overloaded"}');
  });

  it('gives an error for a value that cannot be read', () => {
    const hostile = new Proxy(new Error('x'), {
      ownKeys: () => {
        throw new Error('no');
      },
    });
    expect(shown(hostile).message).toBe('The error cannot be read.');
  });

  it('does not cut short contents out of messages', () => {
    expect(cutQuotesOf('test')('a test error')).toBe('a test error');
    expect(cutQuotesOf('ann@a.org')('No ann@a.org. Not ann@a.orgs, bo@a.org')).toBe('No …. Not ann@a.orgs, bo@a.org');
  });
});
