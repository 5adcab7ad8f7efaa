import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { ChunkType } from '@mastra/core/stream';
import { APICallError } from '@ai-sdk/provider';
import { generateText, streamText, type UIMessageStreamOptions, type UIMessage } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, it, onTestFinished } from 'vitest';
import { guardedToolLoop, withGuards, type GuardOptions } from '../../src/ai-sdk/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { startServer } from '../provider/start-server.js';
import { guardOn } from './support.js';

const prompt = 'My mail is mara.quill@example.com, my number PIN-4471.';
const guards = [guardOn('outputStep', () => undefined)];

const failing = () =>
  scriptedModel({
    specificationVersion: 'v4',
    steps: [
      {
        error: Object.freeze(
          new APICallError({
            message: `Bad request: ${prompt}`,
            url: 'https://provider.example',
            requestBodyValues: { prompt },
            responseBody: prompt,
            statusCode: 400,
          }),
        ),
      },
    ],
  });

type Host = (options: GuardOptions) => Promise<unknown>;

const streamed = async (parts: AsyncIterable<{ type: string; error?: unknown }>): Promise<unknown> => {
  for await (const part of parts) if (part.type === 'error') return part.error;
  return undefined;
};

const hosts: Record<string, Host> = {
  'withGuards, generateText': (options) =>
    generateText({ model: withGuards(failing(), guards, options), prompt }).catch((error: unknown) => error),
  'withGuards, streamText': (options) =>
    streamed(streamText({ model: withGuards(failing(), guards, options), prompt, onError: () => undefined }).fullStream),
  'guardedToolLoop, generate': (options) =>
    Promise.resolve(guardedToolLoop({ model: failing(), guards, guardOptions: options }).generate({ prompt })).catch(
      (error: unknown) => error,
    ),
  'guardedToolLoop, stream': async (options) =>
    streamed(
      (
        await guardedToolLoop({ model: failing(), guards, guardOptions: options }).stream({
          prompt,
        })
      ).fullStream,
    ),
};

describe.each(Object.entries(hosts))('the error of a provider: %s', (_host, fail) => {
  it('does not quote the prompt and keeps its type and status', async () => {
    const error = await fail({});
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ statusCode: 400, isRetryable: false });
    expect(`${JSON.stringify(error)} ${inspect(error)} ${(error as Error).message}`).not.toMatch(/mara|PIN/);
  });

  it('is complete with serveErrorDetails', async () => {
    expect(((await fail({ serveErrorDetails: true })) as Error).message).toContain('mara');
  });
});

describe('the error of a provider, over HTTP in a chat', () => {
  const refusing = async () => {
    const { baseUrl } = await startServer([{ kind: 'error', status: 400, message: `Bad request: ${prompt}` }]);
    return createOpenAICompatible({ name: 'local', baseURL: baseUrl }).chatModel('some-model');
  };
  const stream: Record<string, (options: GuardOptions) => Promise<Pick<ReturnType<typeof streamText>, Piped>>> = {
    'withGuards, streamText': async (options) =>
      streamText({ model: withGuards(await refusing(), guards, options), prompt, maxRetries: 0, onError: () => undefined }),
    'guardedToolLoop, stream': async (options) =>
      guardedToolLoop({ model: await refusing(), guards, guardOptions: options, maxRetries: 0 }).stream({ prompt }),
  };
  type Piped = 'pipeUIMessageStreamToResponse' | 'toUIMessageStreamResponse';
  /** Shows errors in a chat, as applications do. */
  const uiOptions: UIMessageStreamOptions<UIMessage> = {
    onError: (error) => `${(error as Error).message} ${JSON.stringify(error)}`,
  };

  const ask = async (host: string, options: GuardOptions): Promise<string> => {
    const server = createServer((_request, response) => {
      void stream[host]?.(options).then((result) => result.pipeUIMessageStreamToResponse(response, uiOptions));
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).text();
  };

  it.each(Object.keys(stream))('quotes the prompt only with serveErrorDetails: %s', async (host) => {
    const body = await ask(host, {});
    expect(body).toContain('"type":"error"');
    expect(body).toContain('Bad request');
    expect(body).not.toMatch(/mara|PIN/);
    expect(await ask(host, { serveErrorDetails: true })).toContain('mara.quill@example.com');
  });

  it.each(Object.keys(stream))('does not quote the prompt in a web response: %s', async (host) => {
    const body = await (await stream[host]?.({}))?.toUIMessageStreamResponse(uiOptions).text();
    expect(body).toContain('"type":"error"');
    expect(body).not.toMatch(/mara|PIN/);
  });
});

it('a generated response without content, usage and reason is an answer', async () => {
  const model = new MockLanguageModelV4({
    doGenerate: async () => ({
      content: [],
      finishReason: { unified: 'other', raw: undefined },
      usage: { inputTokens: {}, outputTokens: {} } as never, // as some providers send it
      warnings: [],
    }),
  });
  const stock = await generateText({ model, prompt });
  const results = [
    await generateText({ model: withGuards(model, guards), prompt }),
    await guardedToolLoop({ model, guards }).generate({ prompt }),
  ];
  for (const { text, finishReason, steps } of results)
    expect({ text, finishReason, steps: steps.length }).toEqual({
      text: stock.text,
      finishReason: stock.finishReason,
      steps: stock.steps.length,
    });
});

it('a stream that breaks off is read to its last part before its error, however slowly', async () => {
  const parts = ['One. ', 'Two. '].map((delta) => ({ type: 'text-delta' as const, id: '0', delta }));
  const pulls = [{ type: 'text-start' as const, id: '0' }, ...parts].values();
  const provider = new ReadableStream<(typeof parts)[number] | { type: 'text-start'; id: string }>(
    {
      pull: (controller) => {
        const { done, value } = pulls.next();
        if (done) controller.error(new Error('The line is dead.'));
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
  const guard = {
    id: 'slow',
    window: 'sentence',
    processOutputStream: async ({ part }: { part: ChunkType }) => (await setImmediate(), part),
  } as const;
  const model = withGuards(new MockLanguageModelV4({ doStream: { stream: provider } }), [guard]);
  const { stream } = await model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello.' }] }] });
  const reader = stream.getReader();
  const read: string[] = [];
  const readAll = async (): Promise<void> => {
    for (;;) {
      for (let turn = 0; turn < 5; turn += 1) await setImmediate();
      const { done, value } = await reader.read();
      if (done) return;
      if (value.type === 'text-delta') read.push(value.delta);
    }
  };
  await expect(readAll()).rejects.toThrow('The line is dead.');
  expect(read).toEqual(['One. ']);
});
