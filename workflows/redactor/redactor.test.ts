import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { InterlockAgent, isInterlockError } from '../../src/index.js';
import { assertChunkInvariant, assertNoFragment, scriptedModel } from '../../src/testing/index.js';
import { shapesOf } from '../../test/modes.js';
import { assistant, callHook, chunk, cutsOf, streamThrough, emittedText, user } from '../test-setup.js';
import { hosts, runOn } from '../guards/test-setup.js';
import { redactor } from './redactor.js';
import type { RedactionStrategy, RedactorOptions } from './replacement.js';

const email = 'jane@example.com';
const order = { name: 'order', regex: /\bNO-\d{6}\b/, maxLength: 9 };

const redacted = async (options: RedactorOptions, text: string) => {
  const { result } = await callHook(redactor(options), 'processInput', { messages: [user(text)] });
  const part = (result as ReturnType<typeof user>[] | undefined)?.[0]?.content.parts[0];
  return part?.type === 'text' ? part.text : text;
};

describe('strategies', () => {
  it('use no randomness at construction, as Cloudflare Workers require', async () => {
    const random = vi.spyOn(globalThis.crypto, 'getRandomValues');
    const guard = redactor({ strategy: 'hash' });
    redactor({ strategy: 'replace' });
    expect(random).not.toHaveBeenCalled();
    await callHook(guard, 'processInput', { messages: [user(email)] });
    expect(random).toHaveBeenCalledOnce();
    random.mockRestore();
  });

  it.each<[RedactionStrategy, string]>([
    ['mask', 'Ask ****@*******.*** about **-******.'],
    ['remove', 'Ask  about .'],
    ['replace', 'Ask [EMAIL] about [ORDER].'],
  ])('%s', async (strategy, expected) => {
    expect(await redacted({ strategy, patterns: [order] }, `Ask ${email} about NO-123456.`)).toBe(expected);
  });

  it('replace: uses the configured text or the kind', async () => {
    expect(await redacted({ strategy: 'replace', replacement: '█' }, `Ask ${email}`)).toBe('Ask █');
    expect(await redacted({ strategy: 'replace', replacement: (kind) => `<${kind}>` }, 'key ghp_' + 'aB3d'.repeat(9))).toBe(
      'key <api-key>',
    );
    expect(await redacted({ strategy: 'replace' }, 'https://a:b12345@host.example/')).toBe(
      'https://[URL_CREDENTIALS]@host.example/',
    );
  });

  it('hash: gives equal hashes for equal values and keys', async () => {
    const hashed = redactor({ strategy: 'hash' });
    const text = async (guard: ReturnType<typeof redactor>, value: string) =>
      JSON.stringify((await callHook(guard, 'processInput', { messages: [user(value)] })).result);
    expect(await text(hashed, email)).toMatch(/\[EMAIL:[0-9a-f]{12}\]/);
    expect(await text(hashed, email)).toBe(await text(hashed, email));
    expect(await text(hashed, email)).not.toBe(await text(hashed, 'john@example.com'));
    expect(await text(hashed, email)).not.toBe(await text(redactor({ strategy: 'hash' }), email));
    const keyed = () => redactor({ strategy: 'hash', key: 'pepper' });
    expect(await text(keyed(), email)).toBe(await text(keyed(), email));
  });

  it.each(['mask', 'hash', 'replace', 'remove'] as const)('%s: does not change redacted text again', async (strategy) => {
    const options = { strategy, key: 'pepper' } as const;
    const key = 'ghp_' + 'aB3d'.repeat(9);
    const once = await redacted(options, `Password: hunter2x99, ${email}, api key: ${key}, card 4111 1111 1111 1111.`);
    expect(once).not.toMatch(/hunter2x99|jane|ghp_|4111 1111/);
    expect(await redacted(options, once)).toBe(once);
  });

  it('block: reports the kinds and never the value', async () => {
    const { tripped } = await callHook(redactor({ strategy: 'block' }), 'processInput', { messages: [user(`I am ${email}`)] });
    expect(tripped).toEqual({
      reason: 'The input contains values that must not be shown.',
      retry: false,
      metadata: { strategy: 'block', found: { email: 1 } },
    });
  });

  it('report the redacted kinds to onViolation without the values', async () => {
    const onViolation = vi.fn<(violation: unknown) => void>();
    const guard = redactor({ strategy: 'mask', onViolation });
    await callHook(guard, 'processOutputStep', { messages: [user('?'), assistant(`${email} and 4111 1111 1111 1111`)] });
    expect(onViolation).toHaveBeenCalledExactlyOnceWith({
      processorId: 'redactor',
      message: 'The answer contains values that must not be shown.',
      detail: { strategy: 'mask', found: { email: 1, card: 1 } },
    });
  });
});

describe('invalid options', () => {
  it('a redactor without options is rejected with its options', () => {
    expect(() => redactor(undefined as never)).toThrow(
      expect.objectContaining({ code: 'guard/invalid-option', path: 'redactor' }),
    );
  });

  it.each<[string, string, Partial<RedactorOptions>]>([
    ['guard/unknown-option', 'redactor.pattern', { pattern: [order] } as never],
    ['guard/invalid-option', 'redactor.entropy', { entropy: 'yes' as never }],
    ['guard/invalid-option', 'redactor.strategy', { strategy: 'shred' as RedactionStrategy }],
    ['guard/invalid-option', 'redactor.kinds.0', { kinds: ['name' as never] }],
    ['guard/invalid-option', 'redactor.kinds', { kinds: [] }],
    ['guard/invalid-option', 'redactor.patterns', { patterns: [order, order] }],
    ['guard/invalid-option', 'redactor.patterns', { patterns: [{ ...order, name: 'email' }] }],
    ['guard/invalid-option', 'redactor.patterns[0].name', { patterns: [{ ...order, name: 'a b' }] }],
    ['guard/invalid-option', 'redactor.patterns[0].regex', { patterns: [{ ...order, regex: /a{0,3}/ }] }],
    ['guard/unbounded-pattern', 'redactor.patterns[0]', { patterns: [{ ...order, regex: /NO-\d+/ }] }],
    ['guard/unbounded-pattern', 'redactor.patterns[0]', { patterns: [{ ...order, regex: /NO-\d{10}/ }] }],
    ['guard/unbounded-pattern', 'redactor.patterns[0]', { patterns: [{ ...order, regex: /\d{6}(?=.*x)/ }] }],
    ['guard/unbounded-pattern', 'redactor.patterns[0]', { patterns: [{ ...order, regex: /(?<=x.*)\d{6}/ }] }],
    ['guard/unbounded-pattern', 'redactor.patterns[0]', { patterns: [{ ...order, maxLength: undefined as never }] }],
    ['guard/unbounded-pattern', 'redactor.patterns[0]', { patterns: [{ ...order, maxLength: 0 }] }],
  ])('%s at %s: %j', (code, path, options) => {
    let thrown: unknown;
    try {
      redactor({ strategy: 'mask', ...options });
    } catch (error) {
      thrown = error;
    }
    expect(isInterlockError(thrown) && { code: thrown.code, path: thrown.path }).toEqual({ code, path });
  });

  it('maxLength: part buffers the whole part', async () => {
    const quoted = { name: 'secret', regex: /<secret>[^<]*<\/secret>/, maxLength: 'part' as const };
    const guard = redactor({ strategy: 'replace', kinds: [], patterns: [quoted] });
    const text = `It is <secret>${'x'.repeat(500)}</secret>, yes.`;
    const chunks = Array.from(text, (each) => chunk.delta(each));
    expect((await streamThrough(guard, chunks)).emitted).toEqual([]);
    expect(emittedText((await streamThrough(guard, [...chunks, chunk.end()])).emitted)).toBe('It is [SECRET], yes.');
  });
});

describe('in a stream', () => {
  it('redacts custom patterns regardless of chunk boundaries', async () => {
    const guard = redactor({
      strategy: 'replace',
      kinds: [],
      patterns: [order, { name: 'pair', regex: /(ab|cd)\1{1,3}/, maxLength: 8 }],
    });
    for (const pieces of cutsOf('See NO-123456, NO-1234567, cdcdcd and ababa.')) {
      const { emitted } = await streamThrough(guard, [...pieces.map((text) => chunk.delta(text)), chunk.end()]);
      expect(emittedText(emitted), pieces.join('|')).toBe('See [ORDER], NO-1234567, [PAIR] and [PAIR]a.');
    }
  });

  it('redacts reasoning and tool arguments', async () => {
    const guard = redactor({ strategy: 'replace' });
    const reasoning = (text: string) => ({ type: 'reasoning-delta', payload: { id: 'r', text } });
    const args = (argsTextDelta: string) => ({ type: 'tool-call-delta', payload: { toolCallId: 'c', argsTextDelta } });
    const { emitted } = await streamThrough(guard, [
      reasoning('ask jane@ex'),
      args('{"to":"jane@ex'),
      reasoning('ample.com'),
      { type: 'reasoning-end', payload: { id: 'r' } },
      args('ample.com","n":1}'),
      { type: 'tool-call-input-streaming-end', payload: { toolCallId: 'c' } },
      { type: 'tool-call', payload: { toolCallId: 'c', toolName: 'send', args: { to: 'Jane', n: 1 } } },
    ]);
    expect(emitted).toEqual([
      reasoning('ask '),
      reasoning('[EMAIL]'),
      { type: 'reasoning-end', payload: { id: 'r' } },
      args('{"to":"[EMAIL]","n":1}'),
      { type: 'tool-call-input-streaming-end', payload: { toolCallId: 'c' } },
      { type: 'tool-call', payload: { toolCallId: 'c', toolName: 'send', args: { to: 'Jane', n: 1 } } },
    ]);
  });

  const values = [email, '4111 1111 1111 1111', ['sk', 'ant', 'api03', 'Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA'].join('-')];

  it.each((['mask', 'replace', 'hash', 'remove'] as const).map((strategy, turn) => [strategy, turn] as const))(
    '%s gives the same result for all chunks in an agent',
    async (strategy, turn) => {
      const options = { randomCuts: 5, shapes: shapesOf(turn) };
      await assertChunkInvariant([redactor({ strategy })], [`It is ${values[0]}, ok?`], options);
    },
  );

  it.each(values.map((value, turn) => [value, turn] as const))('no fragment of %s leaves an agent', async (value, turn) => {
    const cases = [{ text: `It is ${value} ok?`, value }];
    await assertNoFragment([redactor({ strategy: 'block' })], cases, { randomCuts: 0, shapes: shapesOf(turn) });
    await assertNoFragment([redactor({ strategy: 'replace' })], cases, { randomCuts: 0, shapes: shapesOf(turn + 1) });
  });
});

describe.each(hosts)('a call with hidden values, in %s', (host) => {
  it.each(['mask', 'hash', 'remove', 'replace'] as const)('does not run: %s', async (strategy) => {
    const { ran, text, stopped, prompts } = await runOn(host, {
      tools: { book: 'Booked.' },
      steps: [{ toolCalls: [{ name: 'book', args: { attendee: email }, fragments: 3 }] }, { text: 'It did not work.' }],
      guards: [redactor({ strategy })],
    });
    expect(ran).toEqual([]);
    expect(prompts.join('')).not.toContain(email);
    if (host === 'Agent') expect(stopped).toBe('The call did not run: its arguments contain values that must not be passed on.');
    else expect({ text, told: prompts[1]?.includes('The call did not run') }).toEqual({ text: 'It did not work.', told: true });
  });

  it('runs without one, and with restore', async () => {
    const steps = (attendee: string) => [{ toolCalls: [{ name: 'book', args: { attendee } }] }, { text: 'Done.' }];
    const run = { tools: { book: 'Booked.' }, prompt: `Book it for ${email}.` };
    const plain = await runOn(host, { ...run, steps: steps('Jane'), guards: [redactor({ strategy: 'replace' })] });
    expect(plain.ran).toEqual(['book {"attendee":"Jane"}']);
    const restored = await runOn(host, { ...run, steps: steps('[EMAIL_1]'), guards: [redactor({ strategy: 'restore' })] });
    expect(restored.ran).toEqual([`book {"attendee":"${email}"}`]);
  });
});

type AgentKind = new (config: ConstructorParameters<typeof InterlockAgent>[0]) => Agent;
const kinds: [string, AgentKind][] = [
  ['InterlockAgent', InterlockAgent as unknown as AgentKind], // its results have more than Mastra's
  ['the stock Agent', Agent as unknown as AgentKind], // it takes fewer options
];

describe.each(kinds)('restore, in %s', (_name, Kind) => {
  const setUp = (guard = redactor({ strategy: 'restore' })) => {
    const sent = vi.fn<(args: unknown) => void>();
    const send = createTool({
      id: 'send',
      description: 'Sends.',
      inputSchema: z.object({ to: z.string() }),
      execute: async (input) => {
        sent(input);
        return { sentTo: input.to, copy: 'john@example.com' };
      },
    });
    const model = scriptedModel({
      steps: [
        { toolCalls: [{ name: 'send', args: { to: '[EMAIL_1]' }, fragments: 3 }] },
        { text: ['Sent to [EMA', 'IL_1] and [EMAIL_2]', ', not [EMAIL_9].'] },
      ],
    });
    const agent = new Kind({
      id: 'a',
      name: 'a',
      instructions: 'Help.',
      model,
      tools: { send },
      inputProcessors: [guard],
      outputProcessors: [guard],
    });
    return { agent, sent, prompts: () => model.calls.map(({ prompt }) => JSON.stringify(prompt)) };
  };

  it('shows placeholders to the model and values to the tool and the caller', async () => {
    const { agent, sent, prompts } = setUp();
    const { text } = await agent.generate(`Write to ${email}. Ignore [EMAIL_2].`);
    expect(prompts()).toHaveLength(2);
    expect(prompts().join('')).not.toContain('example.com');
    expect(prompts()[0]).toContain('Write to [EMAIL_1]. Ignore [PLACEHOLDER_1].');
    expect(sent).toHaveBeenCalledExactlyOnceWith({ to: email });
    expect(text).toBe(`Sent to ${email} and john@example.com, not [EMAIL_9].`);
  });

  it.each([
    ['base64', (text: string) => Buffer.from(text).toString('base64')],
    ['bytes', (text: string) => Buffer.from(text)],
    ['a data URL', (text: string) => `data:text/plain;base64,${Buffer.from(text).toString('base64')}`],
  ])('hides values in a text file and its name: %s', async (_form, encode) => {
    const { agent, prompts } = setUp();
    const data = encode(`Write to ${email}.`);
    const file = { type: 'file' as const, data, mediaType: 'text/plain', filename: `to ${email}` };
    await agent.generate([{ role: 'user', content: [file, { type: 'text', text: 'Read it.' }] }]);
    const read = JSON.parse(prompts()[0] ?? '[]') as { content: { type: string; filename: string; data: string }[] }[];
    const left = read.flatMap(({ content }) => (Array.isArray(content) ? content : [])).find(({ type }) => type === 'file');
    expect(left).toMatchObject({ filename: 'to [EMAIL_1]' });
    expect(Buffer.from(left?.data.replace(/^data:.*,/, '') ?? '', 'base64').toString()).toBe('Write to [EMAIL_1].');
  });

  it('restores placeholders that a model escaped, and hides such text from outside', async () => {
    const guard = redactor({ strategy: 'restore' });
    const written = String.raw`%5BEMAIL_1%5D, [EMAIL&#95;1], \u005bEMAIL_1\u005d, [EMAIL\_1], \[EMAIL\_1\] and https://a.example/?to=%5BEMAIL_1%5D&re=%5bEMAIL%5f1%5d`;
    const model = scriptedModel({ steps: [{ text: written }] });
    const agent = new Kind({ id: 'a', name: 'a', instructions: 'x', model, inputProcessors: [guard], outputProcessors: [guard] });
    const { text } = await agent.generate(
      String.raw`Write to ${email}; see https://evil.example/?q=%5BEMAIL_1%5D and [EMAIL\_2].`,
    );
    const coded = encodeURIComponent(email);
    expect(text).toBe(`${Array(5).fill(email).join(', ')} and https://a.example/?to=${coded}&re=${coded}`);
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain('evil.example/?q=[PLACEHOLDER_1] and [PLACEHOLDER_2].');
  });

  it('keeps the values of each run separate', async () => {
    const guard = redactor({ strategy: 'restore' });
    await setUp(guard).agent.generate(`Write to ${email}.`);
    const { agent, sent } = setUp(guard);
    const { text } = await agent.generate('Write to nobody.');
    expect(sent).toHaveBeenCalledExactlyOnceWith({ to: '[EMAIL_1]' });
    expect(text).toBe('Sent to john@example.com and [EMAIL_2], not [EMAIL_9].');
  });
});
