import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { assistant, callHook, chunk, cutsOf, message, messageOf, streamThrough, emittedText, user } from '../test-setup.js';
import { personalKinds } from '../patterns/test-setup.js';
import { redactor } from './redactor.js';

type Options = Partial<Parameters<typeof redactor>[0]>;
const guardOf = (options: Options = {}) => redactor({ strategy: 'replace', kinds: personalKinds, ...options });

const email = 'jane@example.com';

describe('redactor, messages', () => {
  it('redacts values in texts and reasoning, and keeps other parts unchanged', async () => {
    const file = { type: 'file' as const, data: email, mimeType: 'image/png' };
    const reasoning = { type: 'reasoning' as const, reasoning: email, details: [] };
    const input = messageOf(
      'user',
      [{ type: 'text', text: `Write to ${email}!` }, file, reasoning, { type: 'text', text: 'Bye' }],
      {
        content: `Write to ${email}!Bye`,
        metadata: { keep: email },
      },
    );
    const untouched = user('no value');
    const { result } = await callHook(guardOf(), 'processInput', { messages: [untouched, input] });
    const [first, second] = result as [typeof untouched, typeof input];
    expect(first).toBe(untouched);
    expect(second).toEqual({
      ...input,
      content: {
        ...input.content,
        parts: [
          { type: 'text', text: 'Write to [EMAIL]!' },
          file,
          { ...reasoning, reasoning: '[EMAIL]' },
          { type: 'text', text: 'Bye' },
        ],
        content: 'Write to [EMAIL]!Bye',
      },
    });
    expect(second.content.parts[1]).toBe(file);
    expect(input.content.parts[0]).toEqual({ type: 'text', text: `Write to ${email}!` });
  });

  /** A message of a client's tool, or a recalled one: no other hook gets its result. */
  const withResult = (toModel?: unknown, to = email) =>
    messageOf('assistant', [
      {
        type: 'tool-invocation',
        toolInvocation: { state: 'result', toolCallId: 'c', toolName: 'ask', args: { to }, result: { of: email } },
        ...(toModel !== undefined && { providerMetadata: { mastra: { modelOutput: toModel }, other: { id: email } } }),
      } as never,
    ]);

  it('redacts calls of tools in the input, with what the model reads in place of their results', async () => {
    const messages = [user('hello'), withResult({ type: 'text', value: `It is ${email}.` }), withResult()];
    const { result } = await callHook(guardOf(), 'processInput', { messages });
    expect(result).toEqual([
      messages[0],
      expect.objectContaining({
        content: expect.objectContaining({
          parts: [
            {
              type: 'tool-invocation',
              toolInvocation: {
                state: 'result',
                toolCallId: 'c',
                toolName: 'ask',
                args: { to: '[EMAIL]' },
                result: { of: '[EMAIL]' },
              },
              providerMetadata: { mastra: { modelOutput: { type: 'text', value: 'It is [EMAIL].' } }, other: { id: email } },
            },
          ],
        }) as unknown,
      }),
      expect.objectContaining({
        content: expect.objectContaining({
          parts: [expect.objectContaining({ toolInvocation: expect.objectContaining({ result: { of: '[EMAIL]' } }) as unknown })],
        }) as unknown,
      }),
    ]);
    expect((await callHook(guardOf({ strategy: 'block' }), 'processInput', { messages })).tripped).toBeDefined();
    for (const strategy of ['replace', 'block'] as const)
      expect(
        await callHook(guardOf({ strategy, places: ['input', 'answer'] }), 'processInput', {
          messages: [withResult(email, 'x')],
        }),
      ).toEqual({ result: undefined });
    expect(await callHook(guardOf(), 'processOutputResult', { messages })).toEqual({ result: undefined });
  });

  it('changes nothing without a value', async () => {
    const args = { messages: [user('hello'), assistant('hi')], text: 'hi' };
    for (const hook of ['processInput', 'processOutputStep', 'processOutputResult'] as const)
      expect(await callHook(guardOf(), hook, args)).toEqual({ result: undefined });
  });

  it('redacts every input message, and in the output only the newest response', async () => {
    const messages = [user(email), assistant(`old ${email}`), user(`again ${email}`), assistant(`new ${email}`)];
    const textsAfter = async (hook: 'processInput' | 'processOutputStep' | 'processOutputResult') =>
      ((await callHook(guardOf(), hook, { messages })).result as typeof messages).map(({ content }) => content.parts[0]);
    const text = (each: string) => ({ type: 'text', text: each });
    expect(await textsAfter('processInput')).toEqual(['[EMAIL]', 'old [EMAIL]', 'again [EMAIL]', 'new [EMAIL]'].map(text));
    const answer = [email, `old ${email}`, `again ${email}`, 'new [EMAIL]'].map(text);
    expect(await textsAfter('processOutputStep')).toEqual(answer);
    expect(await textsAfter('processOutputResult')).toEqual(answer);
  });

  it('redacts a message that has only flat content', async () => {
    const legacy = messageOf('user', undefined as never, { content: email });
    const { result } = await callHook(guardOf(), 'processInput', { messages: [legacy] });
    expect(result).toEqual([{ ...legacy, content: { format: 2, parts: undefined, content: '[EMAIL]' } }]);
  });

  it('accepts kinds, a replacement and a default country', async () => {
    const redact = async (options: Options, text: string) => {
      const { result } = await callHook(guardOf(options), 'processInput', { messages: [user(text)] });
      return (result as ReturnType<typeof user>[] | undefined)?.[0]?.content.parts[0];
    };
    expect(await redact({ kinds: ['card'] }, email)).toBeUndefined();
    expect(await redact({ replacement: '█' }, `to ${email}`)).toEqual({ type: 'text', text: 'to █' });
    expect(await redact({ replacement: (kind) => `<${kind}>` }, `to ${email}`)).toEqual({ type: 'text', text: 'to <email>' });
    expect(await redact({}, '(415) 555-2671')).toBeUndefined();
    expect(await redact({ defaultCountry: 'US' }, '(415) 555-2671')).toEqual({ type: 'text', text: '[PHONE]' });
  });

  it('reports the kinds to onViolation without the values', async () => {
    const onViolation = vi.fn<() => void>();
    await callHook(guardOf({ onViolation }), 'processInput', { messages: [user(`${email} and 4111 1111 1111 1111, ${email}`)] });
    expect(onViolation).toHaveBeenCalledExactlyOnceWith({
      processorId: 'redactor',
      message: 'The input contains values that must not be shown.',
      detail: { strategy: 'replace', found: { email: 2, card: 1 } },
    });
  });

  it('is idempotent', async () => {
    const piece = fc.oneof(
      fc.constantFrom(email, '4111 1111 1111 1111', '+14155552671', ' ', '@', '4', '-'),
      fc.string({ maxLength: 6 }),
    );
    const texts = fc.array(
      fc.array(piece, { maxLength: 5 }).map((each) => each.join('')),
      { minLength: 1, maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(texts, async (each) => {
        const { result } = await callHook(guardOf(), 'processInput', { messages: [message('user', ...each)] });
        if (result) expect(await callHook(guardOf(), 'processInput', { messages: result })).toEqual({ result: undefined });
      }),
      { numRuns: 200 },
    );
  });

  it('redacts a stream regardless of chunk boundaries', async () => {
    for (const pieces of cutsOf(`Ask ${email} or 4111 1111 1111 1111.`)) {
      const { emitted } = await streamThrough(guardOf(), [...pieces.map((text) => chunk.delta(text)), chunk.end()]);
      expect(emittedText(emitted), pieces.join('|')).toBe('Ask [EMAIL] or [CARD].');
      expect(emitted.at(-1)).toEqual(chunk.end());
    }
  });

  it('has no stream hook and no window with warn', () => {
    expect(guardOf({ strategy: 'warn' }).processOutputStream).toBeUndefined();
    expect(guardOf({ strategy: 'warn' }).window).toBeUndefined();
  });
});

describe('redactor, tool results', () => {
  const part = (state: 'call' | 'result', result?: unknown) => ({
    type: 'tool-invocation' as const,
    toolInvocation: { state, toolCallId: 'c1', toolName: 'lookup', args: { id: 1 }, ...(state === 'result' && { result }) },
  });
  const argsWith = (result: unknown, found = true, listed: unknown = part('call')) => ({
    messages: [user('who?'), messageOf('assistant', [listed as never])],
    messageList: { updateToolInvocation: vi.fn<() => boolean>(() => found) },
    toolName: 'lookup',
    toolCallId: 'c1',
    args: { id: 1 },
    result,
  });

  it('replaces the result through the message list', async () => {
    const args = argsWith({ rows: [{ mail: email, age: 42, card: 4111111111111111, at: 1717171717171 }], [email]: true });
    expect(await callHook(guardOf(), 'processToolResult', args)).toEqual({ result: undefined });
    expect(args.messageList.updateToolInvocation).toHaveBeenCalledExactlyOnceWith({
      type: 'tool-invocation',
      toolInvocation: {
        state: 'result',
        toolCallId: 'c1',
        toolName: 'lookup',
        args: { id: 1 },
        result: { rows: [{ mail: '[EMAIL]', age: 42, card: '[CARD]', at: 1717171717171 }], '[EMAIL]': true },
      },
    });
  });

  it('redacts the result of an earlier guard', async () => {
    const args = argsWith(`${email} secret`, true, part('result', `${email} ***`));
    await callHook(guardOf(), 'processToolResult', args);
    expect(args.messageList.updateToolInvocation).toHaveBeenCalledWith(
      expect.objectContaining({ toolInvocation: expect.objectContaining({ result: '[EMAIL] ***' }) }),
    );
  });

  it('blocks a result that cannot be replaced', async () => {
    const { tripped } = await callHook(guardOf(), 'processToolResult', argsWith(email, false));
    expect(tripped).toMatchObject({
      reason: 'The tool result contains values that must not be shown.',
      metadata: { found: { email: 1 } },
    });
  });

  it.each([null, undefined, 42, 'clean', { a: ['b'] }])('does not change %j', async (result) => {
    const args = argsWith(result);
    expect(await callHook(guardOf(), 'processToolResult', args)).toEqual({ result: undefined });
    expect(args.messageList.updateToolInvocation).not.toHaveBeenCalled();
  });

  it('blocks or warns as configured', async () => {
    const onViolation = vi.fn<() => void>();
    expect((await callHook(guardOf({ strategy: 'block' }), 'processToolResult', argsWith([email]))).tripped).toBeDefined();
    expect(await callHook(guardOf({ strategy: 'warn', onViolation }), 'processToolResult', argsWith([email]))).toEqual({});
    expect(onViolation).toHaveBeenCalledOnce();
  });
});

describe('redactor, block and warn', () => {
  const block = guardOf({ strategy: 'block' });

  it('blocks a value in the newest user turn without the value in reason or metadata', async () => {
    const outcome = await callHook(block, 'processInput', {
      messages: [user('hi'), assistant('?'), user('jane@exa', 'mple.com')],
    });
    expect(outcome.tripped).toEqual({
      reason: 'The input contains values that must not be shown.',
      retry: false,
      metadata: { strategy: 'block', found: { email: 1 } },
    });
    const earlier = { messages: [user(email), assistant('Please do not.'), user('sorry')] };
    expect(await callHook(block, 'processInput', earlier)).toEqual({ result: undefined });
  });

  it('blocks a value in an answer, also if the messages do not contain the answer yet', async () => {
    const messages = [user(email), assistant(email)];
    expect((await callHook(block, 'processOutputStep', { messages, text: email })).tripped?.metadata).toMatchObject({
      found: { email: 1 },
    });
    expect((await callHook(block, 'processOutputStep', { messages: [user('x')], text: email })).tripped).toBeDefined();
    expect((await callHook(block, 'processOutputResult', { messages })).tripped).toBeDefined();
    expect(await callHook(block, 'processOutputStep', { messages: [user(email)], text: 'fine' })).toEqual({ result: undefined });
  });

  it('only calls onViolation with warn', async () => {
    const onViolation = vi.fn<() => void>();
    const warn = guardOf({ strategy: 'warn', onViolation });
    expect(await callHook(warn, 'processInput', { messages: [user(email)] })).toEqual({ result: undefined });
    expect(onViolation).toHaveBeenCalledOnce();
  });
});

describe('redactor, block, in a stream', () => {
  const guard = guardOf({ strategy: 'block' });

  it.each([email, '4111 1111 1111 1111', 'DE89 3704 0044 0532 0130 00', '+1 415-555-2671', '536-90-4399', '203.0.113.7'])(
    'finds %s and releases no fragment of it regardless of chunk boundaries',
    async (value) => {
      for (const pieces of cutsOf(`The value is ${value}, as I said.`)) {
        const { emitted, tripped } = await streamThrough(guard, [
          chunk.start(),
          ...pieces.map((text) => chunk.delta(text)),
          chunk.end(),
        ]);
        expect(tripped, pieces.join('|')).toMatchObject({ retry: false, metadata: { strategy: 'block' } });
        expect('The value is '.startsWith(emittedText(emitted)), pieces.join('|')).toBe(true);
      }
    },
  );

  it('releases every chunk of a clean stream in order', async () => {
    const chunks = [chunk.of('step-start'), chunk.start(), chunk.delta('all '), chunk.delta('fine'), chunk.end()];
    const { emitted, tripped } = await streamThrough(guard, [...chunks, chunk.of('finish')]);
    expect(tripped).toBeUndefined();
    expect(emitted).toEqual([...chunks, chunk.of('finish')]);
  });

  it('separates texts by id', async () => {
    const chunks = [chunk.delta('jane@exa', 'a'), chunk.delta('mple.com', 'b'), chunk.end('a'), chunk.end('b')];
    expect((await streamThrough(guard, chunks)).tripped).toBeUndefined();
    const interleaved = [
      chunk.delta('jane@exa', 'a'),
      chunk.delta('noise', 'b'),
      chunk.of('tool-call'),
      chunk.delta('mple.com', 'a'),
      chunk.end('a'),
    ];
    expect((await streamThrough(guard, interleaved)).tripped).toBeDefined();
  });

  it('does not join a text with the next text or the next attempt', async () => {
    const chunks = [chunk.delta('jane@exa'), chunk.end(), chunk.start(), chunk.delta('mple.com'), chunk.end()];
    expect((await streamThrough(guard, chunks)).tripped).toBeUndefined();
    const retried = [chunk.delta('jane@exa'), chunk.of('step-start'), chunk.delta('mple.com')];
    expect((await streamThrough(guard, retried)).tripped).toBeUndefined();
  });
});
