import { describe, expect, it } from 'vitest';
import { assistant, callHook, user } from '../test-setup.js';
import { lengthGuard } from './length-guard.js';
import { hosts, runOn } from './test-setup.js';

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

describe.each(hosts)('lengthGuard with maxResultChars in %s', (host) => {
  const promptsOf = async (result: unknown) => {
    const steps = [{ toolCalls: [{ name: 'read', args: {} }] }, { text: 'Done.' }];
    const guards = [lengthGuard({ maxResultChars: 300 })];
    const { prompts, text } = await runOn(host, { steps, tools: { read: result }, guards });
    expect(text).toBe('Done.');
    return prompts[1] ?? '';
  };

  it('gives the model the head and the tail of a long text, with a note of its size', async () => {
    const prompt = await promptsOf(`first ${'line '.repeat(100)}last`);
    expect(prompt).toContain('first line');
    expect(prompt).toContain('[… 210 of 510 characters are left out; ask for a smaller part if they are needed …]');
    expect(prompt).toContain('line last');
    expect(prompt.split('line').length).toBeLessThan(70);
  });

  it('shortens the JSON of an object, and an error', async () => {
    const prompt = await promptsOf({ rows: Array.from({ length: 100 }, (_, id) => ({ id })), total: 100 });
    expect(prompt).toContain('characters are left out');
    expect(prompt).toMatch(/rows.*total/);
    expect(prompt).not.toContain('{\\"id\\":50}');
    expect(await promptsOf(new Error(`failed ${'x'.repeat(400)}`))).toContain('characters are left out');
  });

  it('leaves a short result as it is', async () => {
    expect(await promptsOf({ rows: [1, 2] })).toContain('"value":{"rows":[1,2]}');
    expect(await promptsOf('x'.repeat(300))).toContain('x'.repeat(300));
  });
});

describe('lengthGuard with maxResultChars', () => {
  const outputOf = async (output: object) => {
    const prompt = [{ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'read', output }] }];
    const { result } = await callHook(lengthGuard({ maxResultChars: 100 }), 'processLLMRequest', { prompt });
    return result as { prompt: { content: { output: { type: string; value: unknown } }[] }[] } | undefined;
  };

  it('shortens the texts of a content, and leaves its files', async () => {
    const file = { type: 'media', data: 'A'.repeat(1000), mediaType: 'image/png' };
    const short = { type: 'text', text: 'short' };
    const edited = await outputOf({ type: 'content', value: [{ type: 'text', text: 'x'.repeat(500) }, file, short] });
    const value = edited?.prompt[0]?.content[0]?.output.value;
    expect(value).toEqual([{ type: 'text', text: expect.stringContaining('400 of 500 characters are left out') }, file, short]);
    expect(await outputOf({ type: 'content', value: [file, short] })).toBeUndefined();
  });

  it('ends at whole characters, and keeps the label of an error', async () => {
    const edited = await outputOf({ type: 'error-json', value: { text: '😀'.repeat(100) } });
    const { type, value } = edited?.prompt[0]?.content[0]?.output ?? {};
    expect([type, (value as string).isWellFormed()]).toEqual(['error-text', true]);
  });

  it('rejects a limit without room for a note', () => {
    expect(() => lengthGuard({ maxResultChars: 10 })).toThrow(expect.objectContaining({ code: 'guard/invalid-option' }) as Error);
  });
});
