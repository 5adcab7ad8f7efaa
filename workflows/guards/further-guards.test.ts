import { createTool } from '@mastra/core/tools';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { assistant, callHook, chunk, streamThrough, emittedText, user } from '../test-setup.js';
import { jsonGuard } from './json-guard.js';
import { scriptGuard } from './script-guard.js';
import { toolSecretsGuard } from './tool-secrets-guard.js';
import { topicGuard } from './topic-guard.js';
import { unicodeGuard } from './unicode-guard.js';

describe('topicGuard', () => {
  const guard = topicGuard({ topics: { orders: ['order', 'parcel', 'delivery'], billing: ['invoice', 'refund', '発票'] } });
  const ask = (text: string) => callHook(guard, 'processInput', { messages: [user('my order'), assistant('Yes?'), user(text)] });

  it.each([
    'Where is my PARCEL now, please?',
    'I want a refund for this thing',
    'hello there',
    'yes, please',
    'ありがとう',
    '請給我発票吧 多謝 你 們',
  ])('passes %j', async (text) => expect(await ask(text)).toEqual({ result: undefined }));

  it.each(['Write me a poem about the sea', 'Tell me about borderline cases today', '今日の星座運勢を教えてください'])(
    'blocks %j',
    async (text) => {
      expect((await ask(text)).tripped).toEqual({
        reason: 'The input is about none of orders, billing.',
        retry: false,
        metadata: { topics: ['orders', 'billing'] },
      });
    },
  );
});

describe('scriptGuard', () => {
  const latin = scriptGuard({ scripts: ['Latin'] });

  it.each(['Grüße aus Zürich, 2024!', 'My name is Иван and I wrote this letter myself', 'да', '1234 !!!', ''])(
    'passes %j',
    async (text) => expect(await callHook(latin, 'processInput', { messages: [user(text)] })).toEqual({ result: undefined }),
  );

  it('blocks other scripts in inputs and answers', async () => {
    const russian = 'Напиши мне письмо по-русски';
    const { tripped } = await callHook(latin, 'processInput', { messages: [user(russian)] });
    expect(tripped).toMatchObject({ reason: 'The input is not written in Latin.', metadata: { foreignShare: 1 } });
    expect((await callHook(latin, 'processOutputStep', { messages: [user('x'), assistant(russian)] })).tripped).toBeDefined();
    expect(
      (await callHook(scriptGuard({ scripts: ['Cyrillic'] }), 'processInput', { messages: [user(russian)] })).tripped,
    ).toBeUndefined();
    const han = scriptGuard({ scripts: ['Han', 'Hiragana', 'Katakana'] });
    expect(
      (await callHook(han, 'processInput', { messages: [user('これは日本語の文章です。お願いします。')] })).tripped,
    ).toBeUndefined();
  });

  it('requests one retry with the strategy retry', async () => {
    const guard = scriptGuard({ scripts: ['Latin'], strategy: 'retry' });
    const messages = [user('x'), assistant('Напиши мне письмо по-русски')];
    expect((await callHook(guard, 'processOutputStep', { messages })).tripped).toMatchObject({ retry: true });
    expect((await callHook(guard, 'processOutputStep', { messages, retryCount: 1 })).tripped).toMatchObject({ retry: false });
  });

  it.each([[[]], [['Klingon']], [['Latin', '}']]])('rejects the scripts %j', (scripts) => {
    expect(() => scriptGuard({ scripts })).toThrow('guard/invalid-option');
  });
});

describe('toolSecretsGuard', () => {
  const key = `ghp_${'aB3d'.repeat(9)}`;
  const agentOf = (args: object, options?: Parameters<typeof toolSecretsGuard>[0]) => {
    const ran = vi.fn<() => void>();
    const post = createTool({
      id: 'post',
      description: 'Posts.',
      inputSchema: z.looseObject({}),
      execute: async () => {
        ran();
        return {};
      },
    });
    const agent = new InterlockAgent({
      id: 'a',
      name: 'a',
      instructions: '',
      model: scriptedModel({ steps: [{ toolCalls: [{ name: 'post', args }] }, { text: 'Done.' }] }),
      tools: { post },
      outputProcessors: [toolSecretsGuard(options)],
    });
    return { agent, ran };
  };

  it('stops the call before its tool runs and reports the kind', async () => {
    const { agent, ran } = agentOf({ body: [{ note: `use ${key}` }] });
    const result = await agent.generate('Post it.');
    expect(result).toMatchObject({
      status: 'tripwire',
      tripwire: { processorId: 'tool-secrets', metadata: { toolName: 'post', found: { 'api-key': 1 } } },
    });
    expect(JSON.stringify(result.tripwire)).not.toContain(key);
    expect(ran).not.toHaveBeenCalled();
  });

  it('passes other arguments, other kinds and excepted tools', async () => {
    for (const { agent, ran } of [
      agentOf({ body: 'hello' }),
      agentOf({ body: key }, { kinds: ['jwt'] }),
      agentOf({ body: key }, { exceptTools: ['post'] }),
    ]) {
      expect(await agent.generate('Post it.')).toMatchObject({ status: 'success' });
      expect(ran).toHaveBeenCalledOnce();
    }
  });

  it('judges tool calls after a step without a stream', async () => {
    const toolCalls = [{ toolName: 'post', toolCallId: 'c', args: { key } }];
    expect((await callHook(toolSecretsGuard(), 'processOutputStep', { toolCalls })).tripped).toBeDefined();
    expect((await callHook(toolSecretsGuard(), 'processOutputStep', {})).tripped).toBeUndefined();
  });
});

describe('jsonGuard', () => {
  const schema = z.object({ items: z.array(z.object({ price: z.number() })) });
  const guard = jsonGuard({ schema });
  const judge = (text: string, more: object = {}) => callHook(guard, 'processOutputStep', { text, messages: [], ...more });

  it.each(['{"items":[{"price":1}]}', ' {"items":[]} ', '```json\n{"items":[]}\n```'])('accepts %j', async (text) => {
    expect(await judge(text)).toEqual({ result: undefined });
  });

  it('reports the path of each schema issue', async () => {
    const { tripped } = await judge('{"items":[{"price":"much"}]}');
    expect(tripped).toMatchObject({ retry: true, metadata: { issues: [expect.stringMatching(/^items\[0\]\.price: /)] } });
    expect(tripped?.reason).toMatch(/^The answer does not fit its schema\. items\[0\]\.price: /);
    expect((await judge('Sure! {}')).tripped).toMatchObject({
      reason: 'The answer is not JSON: answer with JSON alone.',
      metadata: { issues: [] },
    });
    expect((await judge('[]')).tripped?.reason).toContain('The whole: ');
  });

  it('blocks after the last retry and skips steps with tool calls', async () => {
    expect((await judge('no', { retryCount: 2 })).tripped).toMatchObject({ retry: false });
    expect((await judge('Let me look.', { toolCalls: [{}] })).tripped).toBeUndefined();
  });

  it('gets a valid answer from a retry with feedback', async () => {
    const model = scriptedModel({ steps: [{ text: '{"items":[{}]}' }, { text: '{"items":[]}' }] });
    const agent = new InterlockAgent({
      id: 'a',
      name: 'a',
      instructions: '',
      model,
      outputProcessors: [guard],
      maxProcessorRetries: 2,
    });
    expect(await agent.generate('List.')).toMatchObject({ status: 'success', text: '{"items":[]}' });
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('items[0].price');
  });
});

describe('unicodeGuard', () => {
  const tag = (text: string) => Array.from(text, (each) => String.fromCodePoint(0xe0000 + each.charCodeAt(0))).join('');

  it('cleans the input and the stream', async () => {
    const { result } = await callHook(unicodeGuard(), 'processInput', {
      messages: [user(`Hi${tag('ignore')} pаypal 👨‍👩‍👧 привет`)],
    });
    expect(result).toMatchObject([{ content: { parts: [{ text: 'Hi paypal 👨‍👩‍👧 привет' }] } }]);
    const deltas = Array.from(`See pаy\u200Bpal${tag('x')}!`, (each) => chunk.delta(each));
    expect(emittedText((await streamThrough(unicodeGuard(), [...deltas, chunk.end()])).emitted)).toBe('See paypal!');
  });

  it('blocks only the configured tricks with block', async () => {
    const block = (text: string, tricks?: ['hidden']) =>
      callHook(unicodeGuard({ strategy: 'block', ...(tricks && { tricks }) }), 'processInput', { messages: [user(text)] });
    expect((await block('a\u202Eb')).tripped?.metadata).toEqual({ found: { hidden: 1 } });
    for (const word of ['kullanılamaz', 'BAĞLANTI', 'ayrılmaz', 'həxon zıne', 'ɡ'])
      expect((await block(word)).tripped, word).toBeUndefined();
    expect((await block('pаypal')).tripped?.metadata).toEqual({ found: { lookalike: 1 } });
    expect((await block('\\fIpаypal')).tripped?.metadata).toEqual({ found: { lookalike: 1 } });
    for (const text of [
      '\\fIбайтах\\fP',
      '\\fIне\\fP, \\fBне\\fP',
      '{"a":"x\\nне\\tне"}',
      'доступ к cинергичным',
      'абсолютныйURI',
    ])
      expect((await block(text)).tripped).toBeUndefined();
    expect((await block('pаypal', ['hidden'])).tripped).toBeUndefined();
  });
});
