import { describe, expect, it } from 'vitest';

import { assistant, callHook, chunk, cutsOf, emittedText, streamThrough, user } from '../test-setup.js';
import { parseAllowList } from './allow-list.js';
import { redactor } from './redactor.js';

type Options = Partial<Parameters<typeof redactor>[0]>;
const ofAnswers = (options: Options = {}) =>
  redactor({ id: 'leak', strategy: 'block', places: ['answer'], kinds: ['email', 'card', 'iban', 'ssn', 'phone'], ...options });

const stream = (options: Options, pieces: readonly string[]) =>
  streamThrough(ofAnswers(options), [
    chunk.start(),
    ...pieces.map((text) => chunk.delta(text)),
    chunk.end(),
    chunk.of('step-finish'),
  ]);

describe('redactor of answers', () => {
  it.each(['jane@example.com', '4111 1111 1111 1111', 'DE89370400440532013000', '536-90-4399', '+1 415-555-2671'])(
    'blocks an answer with %s',
    async (value) => {
      const messages = [user('who?'), assistant(`It is ${value}.`)];
      for (const hook of ['processOutputStep', 'processOutputResult'] as const) {
        const { tripped } = await callHook(ofAnswers(), hook, { messages });
        expect(tripped).toMatchObject({ reason: 'The answer contains values that must not be shown.', retry: false });
        expect(JSON.stringify(tripped)).not.toContain(value);
      }
      const onlyText = { messages: [user('who?')], text: `It is ${value}.` };
      expect((await callHook(ofAnswers(), 'processOutputStep', onlyText)).tripped).toBeDefined();
    },
  );

  it('passes other answers, other kinds and user messages', async () => {
    const pass = (messages: object[], options?: Options) =>
      callHook(ofAnswers(options), 'processOutputStep', { messages, text: '' });
    expect(await pass([user('jane@example.com'), assistant('Thanks!')])).toEqual({ result: undefined });
    expect(await pass([user('x'), assistant('Server 203.0.113.7 of 2024-01-15, order 4155552671')])).toEqual({
      result: undefined,
    });
    expect(await pass([user('x'), assistant('jane@example.com')], { kinds: ['card'] })).toEqual({ result: undefined });
    expect(await pass([user('x'), assistant('jane@example.com'), user('y'), assistant('ok')])).toEqual({ result: undefined });
  });

  it.each([
    [['support@'], 'Write to support@example.com'],
    [['example.com'], 'Write to jane@example.com or john@example.com'],
    [['jane@example.com'], 'Write to Jane@Example.com'],
    [['+1 415 555 2671'], 'Call +1 (415) 555-2671'],
  ])('passes values that %j allows', async (allow, text) => {
    const messages = [user('x'), assistant(text)];
    expect(await callHook(ofAnswers({ allow }), 'processOutputStep', { messages, text })).toEqual({ result: undefined });
  });

  it('blocks a value next to an allowed one', async () => {
    const text = 'Write to support@example.com or jane@example.com';
    const { tripped } = await callHook(ofAnswers({ allow: ['support@'] }), 'processOutputStep', { messages: [], text });
    expect(tripped?.metadata).toEqual({ strategy: 'block', found: { email: 1 } });
  });
});

describe('redactor of answers, in a stream', () => {
  it('finds a value regardless of chunk boundaries', async () => {
    for (const pieces of cutsOf('Ask jane@example.com about it.')) {
      const { emitted, tripped } = await stream({}, pieces);
      expect(tripped, pieces.join('|')).toBeDefined();
      expect('Ask '.startsWith(emittedText(emitted)), pieces.join('|')).toBe(true);
    }
  });

  it.each([
    ['jane@example.com', 'Ask jane@example.com about it.'],
    ['jane@example.com', 'Ask jane@example.com'],
    ['example.community', 'Ask jane@example.community now'],
    ['support@', 'Ask support@example.com now'],
    ['+1 415 555 2671', 'Call +1 415-555-2671 now'],
  ])('passes an allowed %s regardless of chunk boundaries: %j', async (entry, text) => {
    for (const pieces of cutsOf(text))
      expect(emittedText((await stream({ allow: [entry] }, pieces)).emitted), pieces.join('|')).toBe(text);
  });

  it('passes an allowed value after it leaves the lookbehind buffer', async () => {
    const text = `Ask support@example.com or +1 415-555-2671. ${'And then some more words. '.repeat(10)}`;
    for (const pieces of [Array.from(text), text.match(/.{1,3}/g) ?? [], text.match(/.{1,7}/g) ?? []])
      expect((await stream({ allow: ['support@example.com', '+14155552671'] }, pieces)).tripped).toBeUndefined();
  });

  it('passes an allowed value longer than the default buffer', async () => {
    const long = `${'a'.repeat(60)}@mail.example.com`;
    for (const pieces of cutsOf(`Ask ${long} about it.`))
      expect((await stream({ allow: [long] }, pieces)).tripped, pieces.join('|')).toBeUndefined();
  });

  it.each([
    ['continues with another word', ['Ask jane@example.co', ' now']],
    ['continues as another address', ['Ask jane@example.co', '.uk now']],
    ['ends', ['Ask jane@example.co']],
  ])('blocks the start of an allowed value if the text %s', async (_how, pieces) => {
    expect((await stream({ allow: ['jane@example.com'] }, pieces)).tripped).toBeDefined();
  });

  it('judges pending text at a step end without a text end', async () => {
    const chunks = [chunk.delta('Ask jane@example.co'), chunk.of('step-finish')];
    expect((await streamThrough(ofAnswers({ allow: ['jane@example.com'] }), chunks)).tripped).toBeDefined();
  });
});

describe('redactor with values that stay', () => {
  const allow = ['support@shop.example'];
  const text = 'Ask support@shop.example or ann@shop.example.';

  it.each(['replace', 'mask', 'hash', 'remove', 'restore'] as const)('%s', async (strategy) => {
    const guard = redactor({ strategy, allow });
    const prompt = [{ role: 'user', content: [{ type: 'text', text }] }];
    const read = strategy === 'restore' ? 'processLLMRequest' : 'processInput';
    const hook = guard[read as 'processInput'] as unknown as (args: object) => Promise<unknown>; // either hook gets both arguments
    const left = JSON.stringify(await hook({ prompt, messages: [user(text)], state: {} }));
    expect(left).toContain('Ask support@shop.example or ');
    expect(left).not.toContain('ann@shop.example');
  });

  it('warn reports the others', async () => {
    const found: unknown[] = [];
    const guard = redactor({ strategy: 'warn', allow, onViolation: ({ detail }) => void found.push(detail) });
    expect(await callHook(guard, 'processInput', { messages: [user(text)] })).toEqual({ result: undefined });
    expect(found).toEqual([{ strategy: 'warn', found: { email: 1 } }]);
  });
});

describe('redactor with places', () => {
  it.each([['input'], ['answer'], ['result']] as const)('reads only %s', async (place) => {
    const guard = redactor({ strategy: 'block', places: [place] });
    const value = 'jane@example.com';
    const messages = [user('x'), assistant(value)];
    const outcomes = {
      input: [await callHook(guard, 'processInput', { messages: [user(value)] })],
      answer: [
        await callHook(guard, 'processOutputStep', { messages, text: value }),
        await callHook(guard, 'processOutputResult', { messages }),
      ],
      result: [await callHook(guard, 'processToolResult', { result: value, toolCallId: 'c', toolName: 't' })],
    };
    const stopped = Object.entries(outcomes).flatMap(([name, each]) => (each.every(({ tripped }) => tripped) ? [name] : []));
    expect(stopped).toEqual([place]);
    expect(guard.window !== undefined).toBe(place === 'answer');
  });

  it('are rejected with `restore`, which hides values in prompts', () => {
    expect(() => redactor({ strategy: 'restore', places: ['answer'] })).toThrow('redactor.places');
    expect(() => redactor({ strategy: 'block', places: ['call' as never] })).toThrow('guard/invalid-option');
  });
});

describe('parseAllowList', () => {
  it.each([
    ['jane@example.com', 'Jane@Example.com', true],
    ['jane@example.com', 'jane@example.org', false],
    ['jane@example.com', 'mary.jane@example.com', false],
    ['support@', 'support@anything.example', true],
    ['support@', 'nosupport@anything.example', false],
    ['@example.com', 'jane@example.com', true],
    ['example.com', 'jane@example.com', true],
    ['example.com', 'jane@mail.example.com', false],
    ['example.com', 'jane@badexample.com', false],
    ['example.com', 'jane@example.com.evil.example', false],
    ['+1 800 555 0199', '+1 (800) 555-0199', true],
    ['+1 800 555 0199', '+1 800 555 0198', false],
    ['DE89 3704 0044 0532 0130 00', 'de89370400440532013000', true],
    ['', 'jane@example.com', false],
    ['  ', '', false],
    ['---', 'jane@example.com', false],
  ])('%j allows %j: %s', (entry, value, expected) => {
    expect(parseAllowList([entry])(value)).toBe(expected);
  });
});
