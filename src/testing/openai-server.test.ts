import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, streamText, tool } from 'ai';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { cutInsideCodePoints, cutInsideLineEnds, cutInsidePrefixes } from '../../test/provider/cut-places.js';
import { type Cut } from './cuts.js';
import type { Reply } from './openai-reply.js';
import { startOpenAIServer, type OpenAIServerOptions } from './openai-server.js';

const start = async (options: OpenAIServerOptions) => {
  const server = await startOpenAIServer(options);
  onTestFinished(() => server.close());
  return { server, model: createOpenAICompatible({ name: 'local', baseURL: server.baseUrl })('local-model') };
};

const text = 'Grüße 👩‍👩‍👧‍👦 an alle 🇩🇪, das macht 12 €.\nZeile zwei.';
const tools = {
  lookup: tool({ description: 'Looks up.', inputSchema: jsonSchema<{ name: string }>({ type: 'object' }) }),
};
const silent = { maxRetries: 0, onError: () => {} };

const cuts: [string, Cut][] = [
  ['whole events', 'whole'],
  ['single bytes', 'byte'],
  ['seven bytes', 7],
  ['one write', Infinity],
  ['inside code points', cutInsideCodePoints],
  ['inside the data: prefix', cutInsidePrefixes],
  ['inside line ends', cutInsideLineEnds],
];

describe.each(cuts)('a stream with cuts: %s', (_, cut) => {
  it.each(['\n', '\r\n'] as const)('arrives intact with line end %j', async (lineEnd) => {
    const calls = [{ name: 'lookup', args: { name: 'Zoë 🦊' }, fragments: 5 }];
    const { server, model } = await start({
      cut,
      lineEnd,
      reply: [
        { kind: 'text', text, chunks: 2 },
        { kind: 'reasoning+text', reasoning: 'Hm… 🤔', text: 'Ja.', chunks: 1 },
        { kind: 'tool-calls', calls, text: 'Moment 🔎' },
      ],
    });
    expect(await streamText({ model, prompt: 'Hallo', ...silent }).text).toBe(text);

    const reasoned = streamText({ model, prompt: 'Hallo', ...silent });
    expect([await reasoned.reasoningText, await reasoned.text]).toEqual(['Hm… 🤔', 'Ja.']);

    const called = streamText({ model, prompt: 'Hallo', tools, ...silent });
    expect(await called.toolCalls).toMatchObject([{ toolName: 'lookup', input: { name: 'Zoë 🦊' } }]);
    expect([await called.text, await called.finishReason]).toEqual(['Moment 🔎', 'tool-calls']);
    expect(await Promise.all(server.requests.map(({ aborted }) => aborted))).toEqual([false, false, false]);
    expect(server.requests.map(({ state }) => state)).toEqual(['finished', 'finished', 'finished']);
  });
});

it('writes one byte per chunk with the cut `byte`', async () => {
  const { server } = await start({ reply: [{ kind: 'text', text: 'ä' }], cut: 'byte' });
  const response = await ask(server.baseUrl);
  const sizes: number[] = [];
  for await (const bytes of response.body ?? []) sizes.push(bytes.length);
  // A client may put a few bytes together while it is busy, as after the head.
  expect(sizes.filter((size) => size === 1).length / sizes.length).toBeGreaterThan(0.95);
});

const ask = (baseUrl: string, init: RequestInit & { stream?: boolean } = {}) =>
  fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'local-model', messages: [{ role: 'user', content: 'Hi' }], stream: init.stream ?? true }),
    ...init,
  });

it('ends lines as configured', async () => {
  const { server } = await start({ reply: [{ kind: 'text', text: 'a\nb' }], lineEnd: '\r\n' });
  const body = await (await ask(server.baseUrl)).text();
  expect(body.replaceAll('\r\n', '')).not.toContain('\n');
  expect(body.endsWith('data: [DONE]\r\n\r\n')).toBe(true);
});

it('streams tool arguments in fragments', async () => {
  const calls = [{ name: 'lookup', args: { name: 'a longer name' }, fragments: 5 }];
  const { model, server } = await start({ reply: [{ kind: 'tool-calls', calls }] });
  const fragments: string[] = [];
  for await (const part of streamText({ model, prompt: 'Hi', tools, ...silent }).fullStream)
    if (part.type === 'tool-input-delta') fragments.push(part.delta);
  expect(fragments).toHaveLength(5);
  expect(JSON.parse(fragments.join(''))).toEqual({ name: 'a longer name' });
  expect(server.requests[0]?.written).toBe(6);
});

describe('a response without streaming', () => {
  it('contains text, reasoning, tool calls, usage and the finish reason', async () => {
    const usage = { inputTokens: 7, outputTokens: 3 };
    const { model, server } = await start({
      reply: [
        { kind: 'text', text, usage, finishReason: 'length' },
        { kind: 'reasoning+text', reasoning: 'Hm…', text: 'Ja.' },
        { kind: 'tool-calls', calls: [{ id: 'c-1', name: 'lookup', args: { name: 'Zoë' } }] },
      ],
    });
    const plain = await generateText({ model, prompt: 'Hallo', headers: { 'x-test': 'yes' } });
    expect([plain.text, plain.finishReason, plain.usage.totalTokens]).toEqual([text, 'length', 10]);
    expect((await generateText({ model, prompt: 'Hallo' })).reasoningText).toBe('Hm…');
    const { toolCalls } = await generateText({ model, prompt: 'Hallo', tools });
    expect(toolCalls).toMatchObject([{ toolCallId: 'c-1', input: { name: 'Zoë' } }]);
    expect(server.requests[0]?.headers['x-test']).toBe('yes');
    expect(server.requests[2]?.body.tools?.[0]?.function.name).toBe('lookup');
  });
});

describe('streamed usage', () => {
  it('is sent if the reply contains it', async () => {
    const { model } = await start({ reply: [{ kind: 'text', text: 'Hi', usage: { inputTokens: 4, outputTokens: 6 } }] });
    expect(await streamText({ model, prompt: 'Hi', ...silent }).usage).toMatchObject({ inputTokens: 4, outputTokens: 6 });
  });
});

describe('errors', () => {
  it('responds with 400 and the message', async () => {
    const { model } = await start({ reply: [{ kind: 'error', status: 400, message: 'No such thing.' }] });
    await expect(generateText({ model, prompt: 'Hi' })).rejects.toMatchObject({ statusCode: 400, message: 'No such thing.' });
  });

  it('responds with 429 and its headers, and the client retries', async () => {
    const busy: Reply = {
      kind: 'error',
      status: 429,
      message: 'Slow down.',
      headers: { 'retry-after-ms': '1', 'retry-after': '1' },
    };
    const { model, server } = await start({ reply: [busy, busy, { kind: 'text', text: 'Now.' }] });
    await expect(generateText({ model, prompt: 'Hi', maxRetries: 0 })).rejects.toMatchObject({
      statusCode: 429,
      responseHeaders: { 'retry-after': '1' },
    });
    expect((await generateText({ model, prompt: 'Hi', maxRetries: 1 })).text).toBe('Now.');
    expect(server.requests).toHaveLength(3);
  });

  it('reports a script without replies', async () => {
    const { model } = await start({ reply: [] });
    const call = generateText({ model, prompt: 'Hi', maxRetries: 0 });
    await expect(call).rejects.toMatchObject({ statusCode: 500, message: 'The script has 0 replies, and this is request 1.' });
  });

  it('reports the error of a reply function, and rejects contradictory replies', async () => {
    const { server } = await start({
      reply: (_, index) => {
        if (index === 0) throw new Error('Broken on purpose.');
        return { kind: 'text', text: 'ab', chunks: ['a'] };
      },
    });
    expect(await (await ask(server.baseUrl)).text()).toContain('Broken on purpose.');
    const contradiction = await ask(server.baseUrl);
    expect([contradiction.status, await contradiction.text()]).toEqual([500, expect.stringContaining('do not add up')]);
  });

  it('rejects invalid chat requests and unknown paths', async () => {
    const { server } = await start({ reply: [] });
    expect((await ask(server.baseUrl, { body: '{"model":1}' })).status).toBe(400);
    expect((await ask(server.baseUrl, { body: 'not json' })).status).toBe(400);
    expect((await fetch(`${server.baseUrl}/embeddings`)).status).toBe(404);
    expect(server.requests).toEqual([]);
  });

  it('rejects an invalid cut', async () => {
    await expect(startOpenAIServer({ reply: [], cut: 0 })).rejects.toThrow(RangeError);
  });
});

describe('broken connections', () => {
  it('drops the stream after the given number of bytes', async () => {
    const after = { kind: 'text', text: 'x'.repeat(2_000), chunks: 10 } as const;
    const { model, server } = await start({ reply: [{ kind: 'drop', after, bytes: 1_000 }] });
    let seen = '';
    const read = async () => {
      for await (const delta of streamText({ model, prompt: 'Hi', ...silent }).textStream) seen += delta;
    };
    await expect(read()).rejects.toMatchObject({ cause: { message: 'terminated' } });
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.length).toBeLessThan(200);
    expect(server.requests[0]).toMatchObject({ state: 'dropped', written: seen.length / 10 });
    expect(await server.requests[0]?.aborted).toBe(false);
  });

  it('drops the connection after the head', async () => {
    const { server } = await start({ reply: [{ kind: 'drop', after: { kind: 'text', text: 'Hello' }, bytes: 0 }] });
    const response = await ask(server.baseUrl);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
  });

  it('drops a response without streaming', async () => {
    const { model } = await start({ reply: [{ kind: 'drop', after: { kind: 'text', text: 'Hello' }, bytes: 20 }] });
    await expect(generateText({ model, prompt: 'Hi', maxRetries: 0 })).rejects.toMatchObject({
      cause: { message: 'terminated' },
    });
  });

  it('hangs after its deltas until the client aborts, and records the abort', async () => {
    const { model, server } = await start({ reply: [{ kind: 'hang', after: ['Hel', 'lo'] }] });
    const abort = new AbortController();
    const seen: string[] = [];
    const { textStream } = streamText({ model, prompt: 'Hi', abortSignal: abort.signal, ...silent });
    for await (const delta of textStream) {
      seen.push(delta);
      if (seen.length === 2) abort.abort();
    }
    expect(seen).toEqual(['Hel', 'lo']);
    expect(await server.requests[0]?.aborted).toBe(true);
    expect(server.requests[0]).toMatchObject({ state: 'aborted', written: 2, abortedAfterMs: expect.any(Number) });
  });

  it('hangs without output if no deltas are given', async () => {
    const { model, server } = await start({ reply: [{ kind: 'hang' }] });
    await expect(generateText({ model, prompt: 'Hi', abortSignal: AbortSignal.timeout(50), maxRetries: 0 })).rejects.toThrow(
      'timeout',
    );
    expect(await server.requests[0]?.aborted).toBe(true);
  });

  it('does not record its own shutdown as an abort of the client', async () => {
    const server = await startOpenAIServer({ reply: [{ kind: 'hang' }] });
    const [failure] = await Promise.all([
      ask(server.baseUrl).catch((error: unknown) => error),
      vi.waitUntil(() => server.requests.length === 1).then(() => server.close()),
    ]);
    expect(failure).toBeInstanceOf(TypeError);
    expect(server.requests[0]?.state).toBe('dropped');
    await server.close();
  });

  it('sends malformed bodies unchanged', async () => {
    const { model } = await start({ reply: [{ kind: 'raw', body: 'data: {"choices": [}\n\n' }] });
    const types: string[] = [];
    for await (const { type } of streamText({ model, prompt: 'Hi', ...silent }).fullStream) types.push(type);
    expect(types).toContain('error');
  });
});

describe('pace', () => {
  it.each([0, 5])('stops writing when the client aborts, with %i ms between deltas', async (delayMs) => {
    const deltas = 20_000;
    const { model, server } = await start({ reply: [{ kind: 'text', text: 'abc'.repeat(deltas), chunks: 3 }], delayMs });
    const abort = new AbortController();
    const { textStream } = streamText({ model, prompt: 'Hi', abortSignal: abort.signal, ...silent });
    for await (const _ of textStream) abort.abort();
    expect(await server.requests[0]?.aborted).toBe(true);
    const written = server.requests[0]?.written;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(server.requests[0]?.written).toBe(written);
    expect(written).toBeLessThan(deltas / 2);
  });

  it('waits for a client that does not read', async () => {
    const deltas = 150;
    const { server } = await start({ reply: [{ kind: 'text', text: 'x'.repeat(deltas * 100_000), chunks: 100_000 }] });
    const abort = new AbortController();
    const response = await ask(server.baseUrl, { signal: abort.signal });
    const progress = () => server.requests[0]?.written ?? 0;
    let before = -1;
    for (; before !== progress(); await new Promise((resolve) => setTimeout(resolve, 100))) before = progress();
    expect(before).toBeLessThan(deltas);
    expect(server.requests[0]?.state).toBe('open');
    const seen = (await response.text()).length;
    expect([server.requests[0]?.written, seen > deltas * 100_000]).toEqual([deltas, true]);
  });
});

it('lists its models', async () => {
  const { server } = await start({ reply: [], models: ['one', 'two'] });
  const { data } = (await (await fetch(`${server.baseUrl}/models`)).json()) as { data: { id: string }[] };
  expect(data.map(({ id }) => id)).toEqual(['one', 'two']);
});
