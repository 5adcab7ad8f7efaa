import { describe, expect, it } from 'vitest';
import { assistant, callHook, user } from '../test-setup.js';
import { lengthGuard } from './length-guard.js';

const judge = (texts: string[], options?: Parameters<typeof lengthGuard>[0]) =>
  callHook(lengthGuard(options), 'processInput', { messages: [user(...texts)] });

describe('lengthGuard', () => {
  it.each([
    ['at the default limit', 'x'.repeat(20_000), {}],
    ['empty, which is allowed by default', '', {}],
    ['at the minimum', 'abc', { minChars: 3 }],
    ['at the maximum', 'abc', { maxChars: 3 }],
  ])('passes an input that is %s', async (_what, text, options) => {
    expect(await judge([text], options)).toEqual({ result: undefined });
  });

  it.each([
    ['too long', 'x'.repeat(20_001), {}, { chars: 20_001, minChars: 0, maxChars: 20_000 }],
    ['empty', '', { minChars: 1 }, { chars: 0, minChars: 1, maxChars: 20_000 }],
    ['only white space', ' \n ', { minChars: 1 }, { chars: 3, minChars: 1, maxChars: 20_000 }],
    ['over its own limit', 'abcd', { maxChars: 3 }, { chars: 4, minChars: 0, maxChars: 3 }],
  ])('blocks an input that is %s', async (_what, text, options, metadata) => {
    const { tripped } = await judge([text], options);
    expect(tripped).toMatchObject({ retry: false, metadata });
    expect(tripped?.reason).toMatch(/^The input is (?:longer|shorter) than \d+ characters\.$/);
  });

  it('counts all parts and messages of only the newest turn', async () => {
    expect((await judge(['ab', 'cd'], { maxChars: 3 })).tripped?.metadata).toMatchObject({ chars: 4 });
    const messages = [user('a long question before'), assistant('ok'), user('ab'), user('c')];
    const guard = lengthGuard({ maxChars: 3 });
    expect((await callHook(guard, 'processInput', { messages })).tripped?.metadata).toMatchObject({ chars: 4 });
    expect(await callHook(guard, 'processInput', { messages: messages.slice(0, 3) })).toEqual({ result: undefined });
  });

  it('passes input without a user turn', async () => {
    const guard = lengthGuard({ minChars: 1 });
    expect(await callHook(guard, 'processInput', { messages: [assistant('hello')] })).toEqual({ result: undefined });
    expect(await callHook(guard, 'processInput', { messages: [] })).toEqual({ result: undefined });
  });
});
