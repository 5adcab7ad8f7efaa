import { setTimeout } from 'node:timers/promises';
import type { Processor } from '@mastra/core/processors';
import { streamText } from 'ai';
import { describe, expect, it } from 'vitest';

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
const saying = (...text: string[]) => scriptedModel({ specificationVersion: 'v4', steps: [{ text, hang: true }] });

type Parts = AsyncIterable<{ type: string; text?: string }>;

/** The ways to stream words through guards. */
const streams: Record<string, (model: ReturnType<typeof saying>, options: GuardOptions) => Promise<Parts>> = {
  withGuards: async (model, { abortSignal, ...options }) =>
    streamText({ model: withGuards(model, guards, options), prompt: 'Go', abortSignal, onError: () => undefined }).fullStream,
  toStreamTransform: async (model, { abortSignal, ...options }) =>
    streamText({
      model,
      prompt: 'Go',
      abortSignal,
      onError: () => undefined,
      experimental_transform: toStreamTransform(guards, options),
    }).fullStream,
  guardedToolLoop: async (model, { abortSignal, ...guardOptions }) =>
    (
      await guardedToolLoop({ model, guards, guardOptions, onError: () => undefined }).stream({
        prompt: 'Go',
        abortSignal,
      })
    ).fullStream,
};

describe.each(Object.keys(streams))('words that are cleared while the provider says nothing, %s', (way) => {
  it('leave then', async () => {
    const controller = new AbortController();
    const parts = await streams[way]?.(saying('All is well. ', 'And s'), { abortSignal: controller.signal });
    const told: string[] = [];
    for await (const { type, text } of parts as Parts) {
      if (type !== 'text-delta') continue;
      told.push(text ?? '');
      await setTimeout(20);
      controller.abort();
    }
    expect(told[0]).toBe('All is well. ');
  });
});

describe('maxHeldChars', () => {
  it.each(Object.keys(streams))('%s: a run that needs more ends with the error', async (way) => {
    const model = scriptedModel({ specificationVersion: 'v4', steps: [{ text: ['No end of a sentence in sight'] }] });
    const parts = await streams[way]?.(model, { maxHeldChars: 5 });
    const errors: unknown[] = [];
    const told: string[] = [];
    for await (const { type, text, error } of parts as AsyncIterable<{ type: string; text?: string; error?: unknown }>) {
      if (type === 'error') errors.push(error);
      if (type === 'text-delta') told.push(text ?? '');
    }
    expect(told).toEqual([]);
    expect(errors).toMatchObject([{ name: 'GuardUnavailableError', cause: { code: 'release/hold-exceeded' } }]);
  });

  it.each([0, 1.5, -1])('%d is refused', (maxHeldChars) => {
    expect(() => createGuardedRun(guards, { maxHeldChars })).toThrow(expect.objectContaining({ code: 'ai-sdk/invalid-option' }));
  });
});
