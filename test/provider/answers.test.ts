import { createTool } from '@mastra/core/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { cutInsideCodePoints, cutInsideLineEnds, cutInsidePrefixes } from './cut-places.js';
import { messageText, type OpenAIServerOptions } from '../../src/testing/index.js';
import { inTurn } from '../modes.js';
import { callAgent, streamedText, ways } from './call-agent.js';
import { startServer } from './start-server.js';

const cuts: Record<string, Omit<OpenAIServerOptions, 'reply'>> = {
  'event by event': {},
  'byte by byte': { cut: 'byte' },
  'byte by byte, with \\r\\n': { cut: 'byte', lineEnd: '\r\n' },
  'every 7 bytes': { cut: 7 },
  'all at once': { cut: Infinity },
  'inside code points': { cut: cutInsideCodePoints },
  'inside data: prefixes': { cut: cutInsidePrefixes },
  'between \\r and \\n': { cut: cutInsideLineEnds, lineEnd: '\r\n' },
};
const everyCut = ways.flatMap((way, turn) =>
  inTurn(Object.entries(cuts), Math.floor(turn / 2), 2).map(([cut, options]) => ({ ...way, cut, options })),
);

const text = 'Grüße 👋🏽, 日本語\n\ndata: no event, "so" \\ 🧑‍🚀.';

describe.each(ways)('an answer by $mode over $client', (way) => {
  it.each(everyCut.filter(({ client, mode }) => client === way.client && mode === way.mode))(
    'arrives complete if its bytes come $cut',
    async ({ options }) => {
      const server = await startServer(
        [{ kind: 'text', text, chunks: 1, usage: { inputTokens: 12, outputTokens: 34 } }],
        options,
      );
      const called = await callAgent(server, way);
      expect(called).toMatchObject({ status: 'success', text, finishReason: 'stop' });
      if (way.mode === 'stream') {
        expect(streamedText(called.chunks)).toBe(text);
        expect(called.chunks.filter(({ type }) => type === 'text-delta').length).toBeGreaterThan(20);
      }
      expect(server.requests[0]?.body.stream ?? false).toBe(way.mode === 'stream');
    },
  );

  it('separates reasoning from text', async () => {
    const server = await startServer([{ kind: 'reasoning+text', reasoning: 'They greet; so do I.', text: 'Hello!', chunks: 3 }]);
    const called = await callAgent(server, way);
    expect(called).toMatchObject({ status: 'success', text: 'Hello!' });
    expect(called.result).toMatchObject({ reasoningText: 'They greet; so do I.' });
  });

  it('can be empty', async () => {
    const server = await startServer([{ kind: 'text', text: '' }]);
    expect(await callAgent(server, way)).toMatchObject({ status: 'success', text: '', finishReason: 'stop' });
  });

  it.each([
    ['length', 'length'],
    ['content_filter', 'content-filter'],
    ['something_new', 'other'],
  ])('has its finish reason: %s', async (finishReason, expected) => {
    const server = await startServer([{ kind: 'text', text: 'Half an', finishReason }]);
    const called = await callAgent(server, way);
    expect(called).toMatchObject({ status: 'success', text: 'Half an', finishReason: expected });
    expect(called.events.find(({ type }) => type === 'model-finish')).toMatchObject({ finishReason: expected });
  });

  it('has the token usage if the server reports it', async () => {
    const server = await startServer([{ kind: 'text', text, usage: { inputTokens: 12, outputTokens: 34 } }]);
    const called = await callAgent(server, way);
    expect(called.usage).toMatchObject({ inputTokens: 12, outputTokens: 34, totalTokens: 46 });
    expect(called.events.find(({ type }) => type === 'model-finish')).toMatchObject({
      usage: { inputTokens: 12, outputTokens: 34 },
    });
  });
});

describe.each(ways)('tool calls by $mode over $client', (way) => {
  const add = { name: 'add', args: { numbers: [1, 2, 39], note: 'Zürich 👋🏽 "quoted" {' }, fragments: 9 };

  const addTool = (seen: unknown[], gate: Promise<void> = Promise.resolve()) =>
    createTool({
      id: 'add',
      description: 'Adds numbers.',
      inputSchema: z.object({ numbers: z.array(z.number()), note: z.string() }),
      execute: async (input) => {
        seen.push(input);
        await gate;
        return { sum: input.numbers.reduce((a, b) => a + b, 0) };
      },
    });

  it.each([{}, { cut: 'byte' }, { cut: 3, lineEnd: '\r\n' }] as const)('are assembled from fragments: %j', async (options) => {
    const seen: unknown[] = [];
    const server = await startServer(
      [
        { kind: 'tool-calls', calls: [add], text: 'Let me see.', chunks: 2 },
        { kind: 'text', text: 'It is 42.' },
      ],
      options,
    );
    const called = await callAgent(server, way, { tools: { add: addTool(seen) } });
    expect(called).toMatchObject({ status: 'success', text: 'Let me see.It is 42.' });
    expect(seen).toEqual([add.args]);
    const [, , call, result] = server.requests[1]?.body.messages ?? [];
    expect(call).toMatchObject({ role: 'assistant', tool_calls: [{ id: 'call_0_0', function: { name: 'add' } }] });
    expect(JSON.parse(call?.tool_calls?.[0]?.function.arguments ?? '')).toEqual(add.args);
    expect(result).toMatchObject({ role: 'tool', tool_call_id: 'call_0_0', content: '{"sum":42}' });
  });

  it('run in parallel if a response has several', async () => {
    const seen: { note: string }[] = [];
    let open = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    const calls = ['first', 'second', 'third'].map((note, at) => ({
      name: 'add',
      args: { numbers: [at, 10], note },
      fragments: 4,
    }));
    const server = await startServer(
      [
        { kind: 'tool-calls', calls },
        { kind: 'text', text: 'Done.' },
      ],
      { cut: 5 },
    );
    const called = callAgent(server, way, { tools: { add: addTool(seen, gate) } });
    await expect.poll(() => seen.length).toBe(3);
    open();
    expect(await called).toMatchObject({ status: 'success', text: 'Done.' });
    expect(seen.map(({ note }) => note)).toEqual(['first', 'second', 'third']);
    const results = (server.requests[1]?.body.messages ?? []).filter(({ role }) => role === 'tool');
    expect(results.map((message) => [message.tool_call_id, messageText(message)])).toEqual([
      ['call_0_0', '{"sum":10}'],
      ['call_0_1', '{"sum":11}'],
      ['call_0_2', '{"sum":12}'],
    ]);
  });

  it('run even if the server sends the finish reason "stop"', async () => {
    const seen: unknown[] = [];
    const server = await startServer([
      { kind: 'tool-calls', calls: [add], finishReason: 'stop' },
      { kind: 'text', text: 'It is 42.' },
    ]);
    expect(await callAgent(server, way, { tools: { add: addTool(seen) } })).toMatchObject({
      status: 'success',
      text: 'It is 42.',
    });
    expect(seen).toHaveLength(1);
  });

  it.each([
    ['the same id', [1, 2]],
    ['the same id and arguments', [1, 1]],
  ])('run in each step, even with %s', async (_, numbers) => {
    const seen: unknown[] = [];
    const calls = numbers.map((number) => ({ id: 'call_1', name: 'add', args: { numbers: [number], note: '' } }));
    const server = await startServer([
      ...calls.map((call) => ({ kind: 'tool-calls' as const, calls: [call] })),
      { kind: 'text', text: 'Done.' },
    ]);
    const called = await callAgent(server, way, { tools: { add: addTool(seen) } });
    expect(called).toMatchObject({ status: 'success', text: 'Done.' });
    expect(seen).toHaveLength(2);
    const results = (server.requests[2]?.body.messages ?? []).filter(({ role }) => role === 'tool').map(messageText);
    expect(results).toEqual(numbers.map((sum) => JSON.stringify({ sum })));
  });

  it.each<[string, { name: string; args: unknown; finishReason?: string }, RegExp]>([
    ['that the agent does not have', { name: 'multiply', args: {} }, /multiply/],
    ['with invalid arguments', { name: 'add', args: { numbers: 'none' } }, /numbers/],
    ['with malformed JSON arguments', { name: 'add', args: '{"numbers": [1, ' }, /./],
    ['with truncated arguments', { name: 'add', args: '{"numbers"', finishReason: 'length' }, /./],
  ])('receive an error result if the model calls a tool %s', async (_, { finishReason, ...call }, complaint) => {
    const seen: unknown[] = [];
    const server = await startServer([
      { kind: 'tool-calls', calls: [call], finishReason },
      { kind: 'text', text: 'I am sorry.' },
    ]);
    const called = await callAgent(server, way, { tools: { add: addTool(seen) } });
    expect(called).toMatchObject({ status: 'success', text: 'I am sorry.' });
    expect(seen).toEqual([]);
    const answered = server.requests[1]?.body.messages.find(({ role }) => role === 'tool');
    expect(answered && messageText(answered)).toMatch(complaint);
  });
});
