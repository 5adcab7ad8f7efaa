import { setTimeout } from 'node:timers/promises';
import type { Processor } from '@mastra/core/processors';
import { streamText } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';

import { createGuardedRun, guardedToolLoop, toStreamTransform, withGuards, type GuardOptions } from '../../src/ai-sdk/index.js';
import { guard } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

/** A slow judge of sentences. */
const judge: Processor = {
  id: 'judge',
  processOutputStream: async ({ part }) => {
    await setTimeout(5);
    return part;
  },
};
const guards = [guard(judge, { window: 'sentence' })];

/** A model that streams this text, and then hangs. */
const modelSending = (...text: string[]) => scriptedModel({ specificationVersion: 'v4', steps: [{ text, hang: true }] });

type Parts = AsyncIterable<{ type: string; text?: string }>;

type Way = (model: ReturnType<typeof modelSending>, options: GuardOptions, by?: typeof guards) => Promise<Parts>;
/** The ways to stream words through guards. */
const streams: Record<string, Way> = {
  withGuards: async (model, { abortSignal, ...options }, by = guards) =>
    streamText({ model: withGuards(model, by, options), prompt: 'Go', abortSignal, onError: () => undefined }).fullStream,
  toStreamTransform: async (model, { abortSignal, ...options }, by = guards) =>
    streamText({
      model,
      prompt: 'Go',
      abortSignal,
      onError: () => undefined,
      experimental_transform: toStreamTransform(by, options),
    }).fullStream,
  guardedToolLoop: async (model, { abortSignal, ...guardOptions }, by = guards) =>
    (
      await guardedToolLoop({ model, guards: by, guardOptions, onError: () => undefined }).stream({
        prompt: 'Go',
        abortSignal,
      })
    ).fullStream,
};

describe.each(Object.keys(streams))('text that is approved while the provider is silent, %s', (way) => {
  it('is emitted at once', async () => {
    const controller = new AbortController();
    const parts = await streams[way]?.(modelSending('All is well. ', 'And s'), { abortSignal: controller.signal });
    const texts: string[] = [];
    for await (const { type, text } of parts as Parts) {
      if (type !== 'text-delta') continue;
      texts.push(text ?? '');
      await setTimeout(20);
      controller.abort();
    }
    expect(texts[0]).toBe('All is well. ');
  });
});

describe.each(Object.keys(streams))('text that is approved after the response was interrupted, %s', (way) => {
  it.each(['its caller aborts', 'its provider fails'])('causes no unhandled rejection: %s', async (cut) => {
    const rejected: unknown[] = [];
    const listen = (error: unknown) => void rejected.push(error);
    process.on('unhandledRejection', listen);
    onTestFinished(() => void process.off('unhandledRejection', listen));
    const controller = new AbortController();
    const [judging, verdict] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: Processor = {
      id: 'slow',
      processOutputStream: async ({ part }) => {
        if (part.type !== 'text-delta') return part;
        if (cut === 'its caller aborts') controller.abort();
        judging.resolve();
        await verdict.promise;
        return part;
      },
    };
    const end = cut === 'its caller aborts' ? { hang: true } : { error: new Error('The line is dead.') };
    const model = scriptedModel({ specificationVersion: 'v4', steps: [{ text: ['All is well. ', 'And s'], ...end }] });
    const parts = await streams[way]?.(model, { abortSignal: controller.signal }, [guard(slow, { window: 'sentence' })]);
    const texts: string[] = [];
    const read = async () => {
      for await (const { type } of parts as Parts) texts.push(type);
    };
    const reading = read().catch(() => undefined); // a broken line is an error of the stream
    await judging.promise;
    await setTimeout(20); // the stream is at its end, as far as it can be
    verdict.resolve();
    await reading;
    await setTimeout(0);
    expect(rejected).toEqual([]);
    if (cut === 'its caller aborts') expect(texts).not.toContain('text-delta');
  });
});

describe('maxHeldChars', () => {
  it.each(Object.keys(streams))('%s: a run that exceeds the limit ends with the error', async (way) => {
    const model = scriptedModel({ specificationVersion: 'v4', steps: [{ text: ['No end of a sentence in sight'] }] });
    const parts = await streams[way]?.(model, { maxHeldChars: 5 });
    const errors: unknown[] = [];
    const texts: string[] = [];
    for await (const { type, text, error } of parts as AsyncIterable<{ type: string; text?: string; error?: unknown }>) {
      if (type === 'error') errors.push(error);
      if (type === 'text-delta') texts.push(text ?? '');
    }
    expect(texts).toEqual([]);
    expect(errors).toMatchObject([{ name: 'GuardUnavailableError', cause: { code: 'release/hold-exceeded' } }]);
  });

  it.each([0, 1.5, -1])('rejects %d', (maxHeldChars) => {
    expect(() => createGuardedRun(guards, { maxHeldChars })).toThrow(expect.objectContaining({ code: 'ai-sdk/invalid-option' }));
  });
});
