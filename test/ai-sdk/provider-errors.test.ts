import { inspect } from 'node:util';
import { APICallError } from '@ai-sdk/provider';
import { generateText, streamText } from 'ai';
import { describe, expect, it } from 'vitest';
import { guardedToolLoop, withGuards, type GuardOptions } from '../../src/ai-sdk/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { guardOn } from './support.js';

const prompt = 'My mail is mara.quill@example.com, my number 4471.';
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
  it('does not quote the prompt, and callers can decide by it', async () => {
    const error = await fail({});
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ statusCode: 400, isRetryable: false });
    expect(`${JSON.stringify(error)} ${inspect(error)} ${(error as Error).message}`).not.toMatch(/mara|4471/);
  });

  it('is whole where the run says so', async () => {
    expect(((await fail({ serveErrorDetails: true })) as Error).message).toContain('mara');
  });
});
