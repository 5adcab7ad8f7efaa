import { describe, expect, it } from 'vitest';
import { assistant, callHook, user } from '../test-setup.js';
import { qualityGuard } from './quality-guard.js';

const good = 'The parcel left our warehouse on Monday and will arrive on Thursday.';
const judge = (text: string | undefined, options?: Parameters<typeof qualityGuard>[0], more: object = {}) =>
  callHook(qualityGuard(options), 'processOutputStep', { messages: [user('where?')], text, ...more });

describe('qualityGuard', () => {
  it.each([good, 'x'.repeat(40), `${good}\n- one\n- two\n- three`])('passes %j', async (text) => {
    expect(await judge(text)).toEqual({ result: undefined });
  });

  it.each<[string, string, object]>([
    ['', 'The answer is empty.', { score: 0, failed: ['empty'] }],
    ['  \n', 'The answer is empty.', { score: 0, failed: ['empty'] }],
    ['Yes.', 'The answer is shorter than 40 characters; say more.', { score: 1 - 1 / 3, failed: ['too-short'] }],
    [`${good} `.repeat(9), 'The answer repeats itself; say each thing once.', { score: 1 - 1 / 3, failed: ['repetitive'] }],
    ['the '.repeat(40), 'The answer repeats itself; say each thing once.', { score: 1 - 1 / 3, failed: ['repetitive'] }],
  ])('rejects %j with feedback', async (text, reason, metadata) => {
    expect((await judge(text)).tripped).toEqual({ reason, retry: true, metadata });
  });

  it('reports all failures at once', async () => {
    const { tripped } = await judge('no no no no', { maxRepetition: 3, refusalPatterns: [/^no/] });
    expect(tripped?.metadata).toEqual({ score: 0, failed: ['too-short', 'repetitive', 'refusal'] });
    expect(tripped?.reason).toContain('shorter');
    expect(tripped?.reason).toContain('repeats');
    expect(tripped?.reason).toContain('refusal');
  });

  it.each([
    [0, {}, true],
    [1, {}, true],
    [2, {}, false],
    [3, {}, false],
    [0, { maxRetries: 0 }, false],
    [4, { maxRetries: 5 }, true],
  ])('after %d retries with %j: requests a retry: %s', async (retryCount, options, retry) => {
    expect((await judge('Yes.', options, { retryCount })).tripped?.retry).toBe(retry);
  });

  it('skips the length checks for a step with tool calls', async () => {
    const toolCalls = [{ toolName: 't', toolCallId: 'c', args: {} }];
    expect(await judge('', {}, { toolCalls })).toEqual({ result: undefined });
    expect(await judge('Let me look.', {}, { toolCalls })).toEqual({ result: undefined });
    expect(await judge('', {}, { toolCalls: [], finishReason: 'tool-calls' })).toEqual({ result: undefined });
    expect((await judge('la '.repeat(30), {}, { toolCalls })).tripped?.metadata).toMatchObject({ failed: ['repetitive'] });
    expect((await judge('', {}, { toolCalls: [] })).tripped).toBeDefined();
  });

  it('rejects refusals only if configured', async () => {
    const text = "I'm sorry, but I cannot help with that request today.";
    expect(await judge(text)).toEqual({ result: undefined });
    const stateful = [/cannot help/g];
    for (let count = 0; count < 3; count++)
      expect((await judge(text, { refusalPatterns: stateful })).tripped?.metadata).toMatchObject({ failed: ['refusal'] });
  });

  it('allows an empty answer with forbidEmpty: false', async () => {
    expect(await judge('', { forbidEmpty: false })).toEqual({ result: undefined });
    expect((await judge('Yes.', { forbidEmpty: false })).tripped?.metadata).toMatchObject({ failed: ['too-short'] });
    expect((await judge('', { minChars: 0 })).tripped?.metadata).toMatchObject({ failed: ['empty'] });
  });

  it('reads the newest answer from the messages without text', async () => {
    expect(await judge(undefined, {}, { messages: [user('x'), assistant(good)] })).toEqual({ result: undefined });
    expect((await judge(undefined, {}, { messages: [assistant(good), user('x')] })).tripped?.metadata).toMatchObject({
      failed: ['empty'],
    });
  });
});
