import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Processor } from '@mastra/core/processors';
import { createUIMessageStreamResponse, streamText, toUIMessageStream } from 'ai';
import { describe, expect, it } from 'vitest';
import { withGuards } from '../../src/ai-sdk/index.js';
import { cutInsideCodePoints, cutInsideLineEnds, cutInsidePrefixes } from '../provider/cut-places.js';
import { messageText, type OpenAIServer, type OpenAIServerOptions, type Reply } from '../../src/testing/index.js';
import { inTurn } from '../modes.js';
import { startServer } from '../provider/start-server.js';
import { guardOn, isStreamed, runGuarded, statusOf, textOnWire, tripping, ways, type HookArgs } from './support.js';

const cuts: Record<string, Omit<OpenAIServerOptions, 'reply'>> = {
  'event by event': {},
  'byte by byte, with \\r\\n': { cut: 'byte', lineEnd: '\r\n' },
  'every 7 bytes': { cut: 7 },
  'inside code points': { cut: cutInsideCodePoints },
  'inside data: prefixes': { cut: cutInsidePrefixes },
  'between \\r and \\n': { cut: cutInsideLineEnds, lineEnd: '\r\n' },
};
const everyCut = ways.flatMap((way, turn) =>
  inTurn(Object.entries(cuts), Math.floor(turn / 2), 2).map(([cut, options]) => ({ way, cut, options })),
);

const modelOf = ({ baseUrl }: OpenAIServer) =>
  createOpenAICompatible({ name: 'local', baseURL: baseUrl, includeUsage: true }).chatModel('some-model');

const text = 'Grüße aus Zürich 👋🏽, 日本語: Geheimnis ist ZEBRA, "quoted" \\ and 🧑‍🚀 at the end.';

/** Removes a word from whole answers, in any mode. */
const redacting = (word: string): Processor => ({
  id: 'redact',
  processOutputStep: ({ messages }) => {
    for (const { content } of messages)
      for (const part of content.parts) if (part.type === 'text') part.text = part.text.replaceAll(word, '***');
    return messages;
  },
});

const charge: Reply = { kind: 'tool-calls', calls: [{ name: 'charge', args: { amount: 3 }, fragments: 5 }] };

describe.each(everyCut)('$way over HTTP, $cut', ({ way, options }) => {
  it('delivers a passed response in full', async () => {
    const server = await startServer([{ kind: 'text', text, chunks: 1 }], options);
    const ran = await runGuarded(way, { model: modelOf(server), guards: [guardOn('outputStream', () => undefined)] });
    expect(ran.result).toMatchObject({ text, finishReason: 'stop' });
    if (isStreamed(way)) expect(textOnWire(ran)).toBe(text);
  });

  it('delivers an edited response without the original text', async () => {
    const server = await startServer([{ kind: 'text', text, chunks: 1 }], options);
    const ran = await runGuarded(way, { model: modelOf(server), guards: [redacting('ZEBRA')] });
    expect(ran.result?.text).toBe(text.replace('ZEBRA', '***'));
    expect(JSON.stringify([ran.parts, ran.callbackTexts])).not.toContain('ZEBRA');
  });

  it('runs a tool if the guards pass, not if they trip', async () => {
    const log: string[] = [];
    const done: Reply = { kind: 'text', text: 'Done.' };
    const server = await startServer([charge, done, charge], options);
    const ran = await runGuarded(way, { model: modelOf(server), log, guards: [guardOn('outputStep', () => undefined)] });
    expect(ran.result?.text).toBe('Done.');
    expect(log).toEqual(['charge 3']);
    const blocked = await runGuarded(way, { model: modelOf(server), log, guards: [tripping('outputStep')] });
    expect(statusOf(blocked)).toBe('tripwire');
    expect(log).toEqual(['charge 3']);
  });
});

describe.each(ways)('%s over HTTP', (way) => {
  it('sends the edited input to the provider, and feedback with a retry', async () => {
    const server = await startServer([
      { kind: 'text', text: 'no' },
      { kind: 'text', text: 'yes' },
    ]);
    const redact = guardOn('input', ({ messages }) => {
      for (const { content } of messages ?? []) for (const part of content.parts) if (part.text) part.text = 'Please.';
    });
    const guard = guardOn('outputStep', ({ abort, text: answerText }) =>
      answerText === 'no' ? abort('say yes', { retry: true }) : undefined,
    );
    const ran = await runGuarded(way, {
      model: modelOf(server),
      guards: [redact, guard],
      guardOptions: { maxProcessorRetries: 1 },
    });
    expect(ran.result?.text).toBe('yes');
    const [first, second] = server.requests.map(({ body }) => body.messages);
    expect(first?.map((message) => [message.role, messageText(message)])).toEqual([['user', 'Please.']]);
    expect(second?.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(messageText(second?.[0] as never)).toContain('say yes');
  });

  it('reports the error of a failed provider', async () => {
    const server = await startServer([{ kind: 'error', status: 500, message: 'out of order' }]);
    const ran = await runGuarded(way, { model: modelOf(server), guards: [guardOn('outputStep', () => undefined)] });
    expect(statusOf(ran)).toBe('failed');
    expect(ran.events.filter(({ type }) => type === 'stop')).toEqual([]);
  });
});

it.each(ways.filter(isStreamed))('%s over HTTP: a trip during the response closes the connection', async (way) => {
  const server = await startServer([{ kind: 'hang', after: ['word1 ', 'word2 ', 'word3 '] }]);
  const isBad = ({ part }: HookArgs) => JSON.stringify(part).includes('word3 ');
  const guard = guardOn('outputStream', ({ abort }) => abort('no'), { when: isBad });
  const ran = await runGuarded(way, { model: modelOf(server), guards: [guard] });
  expect(statusOf(ran)).toBe('tripwire');
  expect(textOnWire(ran)).toBe('word1 word2 ');
  expect(await server.requests[0]?.aborted).toBe(true);
});

describe('the response to a browser', () => {
  const bodyOf = async (guards: Processor[]): Promise<string> => {
    const server = await startServer([{ kind: 'text', text, chunks: 1 }]);
    const result = streamText({ model: withGuards(modelOf(server), guards), prompt: 'Hello', onError: () => undefined });
    return createUIMessageStreamResponse({ stream: toUIMessageStream({ stream: result.fullStream }) }).text();
  };

  it('contains an error and no text of a blocked response', async () => {
    const body = await bodyOf([tripping('outputStep')]);
    expect(body).toContain('"type":"error"');
    expect(body).not.toMatch(/Zürich|ZEBRA|text-delta/u);
    expect(body.trimEnd()).toMatch(/\[DONE\]$/u);
  });

  it('contains only the edited text of an edited response', async () => {
    const body = await bodyOf([redacting('ZEBRA')]);
    expect(body).toContain('***');
    expect(body).not.toContain('ZEBRA');
  });
});
