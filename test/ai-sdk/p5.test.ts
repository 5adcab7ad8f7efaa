import { setTimeout as sleep } from 'node:timers/promises';
import { isStepCount, streamText } from 'ai';
import { describe, expect, it } from 'vitest';
import { createGuardedRun, guardSettings, toStreamTransform, withGuards } from '../../src/ai-sdk/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import {
  createTools,
  everyHook,
  guardOn,
  isStreamed,
  modelFor,
  partsOf,
  recovering,
  runGuarded,
  statusOf,
  tripping,
  ways,
} from './support.js';

const streamed = everyHook.filter(({ way }) => isStreamed(way));

describe('P5 One terminal event per run', () => {
  describe.each(streamed)('$hook, $way', ({ phase, way }) => {
    it('a trip ends the stream with one error part and rejects the promises with the same error', async () => {
      const ran = await runGuarded(way, { model: modelFor(phase), guards: [tripping(phase)] });
      const types = ran.parts.map(({ type }) => type);
      expect(types.at(-1)).toBe('error');
      expect(types.filter((type) => ['error', 'finish', 'abort'].includes(type))).toEqual(['error']);
      expect(ran.parts.at(-1)?.['error']).toBe(ran.error);
      expect(ran.error).toMatchObject({ name: 'TripwireError', phase, reason: 'blocked', metadata: { by: phase } });
      expect(ran.events.filter(({ type }) => type === 'stop')).toMatchObject([{ kind: 'tripwire', phase }]);
    });

    it('a successful run ends with finish', async () => {
      const ran = await runGuarded(way, { model: modelFor('input'), guards: [guardOn(phase, () => undefined)] });
      expect(statusOf(ran)).toBe('success');
      expect(ran.parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
      expect(partsOf(ran, 'error')).toEqual([]);
      expect(ran.result).toMatchObject({ text: 'All is paid.', finishReason: 'stop' });
    });

    it('a hook that writes data does not wait for a reader', async () => {
      const guard = guardOn(phase, async ({ writer }) => {
        await writer?.custom({ type: 'data-note', data: phase });
      });
      expect(statusOf(await runGuarded(way, { model: modelFor(phase), guards: [guard, recovering()] }))).toBe('success');
    });
  });

  describe.each(ways)('%s', (way) => {
    it('a trip is not reported as a finish', async () => {
      for (const phase of ['outputStep', 'toolResult', 'outputResult'] as const) {
        const ran = await runGuarded(way, { model: modelFor(phase), guards: [tripping(phase)], maxSteps: 2 });
        expect(ran.callbackTexts).not.toContain('All is paid.');
        expect(ran.result).toBeUndefined();
      }
    });

    it('input guards do not change the text of the model', async () => {
      const ran = await runGuarded(way, { model: modelFor('input'), guards: [guardOn('input', () => undefined)] });
      expect(ran.result?.steps.map(({ text }) => text)).toEqual(['I will charge you. ', 'All is paid.']);
    });

    it('reports the error of a failed provider', async () => {
      const model = scriptedModel({ specificationVersion: 'v4', steps: [{ error: new Error('down') }] });
      const ran = await runGuarded(way, { model, guards: [guardOn('outputStep', () => undefined)] });
      expect(statusOf(ran)).toBe('failed');
      expect(JSON.stringify(ran.parts.map(({ error }) => String(error))) + String(ran.error)).toContain('down');
    });

    it('an aborted call fails with the reason of the abort', async () => {
      const controller = new AbortController();
      const model = scriptedModel({ specificationVersion: 'v4', steps: [{ text: ['a', 'b'], hang: true }] });
      setTimeout(() => controller.abort(new Error('enough')), 20);
      const guards = [guardOn('outputStep', () => undefined)];
      const ran = await runGuarded(way, { model, guards, abortSignal: controller.signal });
      expect(String(ran.error)).toContain('enough');
      expect(ran.events.filter(({ type }) => type === 'stop')).toEqual([]);
      if (isStreamed(way)) expect(ran.parts.at(-1)?.type).toBe('abort');
    });
  });

  it('a trip cancels the provider call and stops reading from it', async () => {
    const text = Array.from({ length: 200 }, (_, index) => `word ${index} `);
    const model = scriptedModel({ specificationVersion: 'v4', steps: [{ text }] });
    const guard = guardOn('outputStream', ({ abort }) => abort('no'), {
      when: ({ part }) => JSON.stringify(part).includes('word 3 '),
    });
    const result = streamText({
      model: withGuards(model, [guard], { window: 'delta' }),
      prompt: 'Hello',
      onError: () => undefined,
    });
    for await (const _ of result.fullStream);
    expect(model.cancelled).toBe(true);
    expect(model.pulled).toBeLessThan(40);
  });

  it('a canceled reader cancels the provider call', async () => {
    const model = scriptedModel({ specificationVersion: 'v4', steps: [{ text: Array.from({ length: 500 }, () => 'word ') }] });
    const { stream } = await withGuards(model, [guardOn('outputStream', () => undefined)]).doStream({ prompt: [] });
    const reader = stream.getReader();
    await reader.read();
    await reader.read();
    await reader.cancel();
    expect(model.cancelled).toBe(true);
    expect(model.pulled).toBeLessThan(10);
  });

  it('with a guarded model only, the stream contains one error and every promise rejects with it', async () => {
    const model = withGuards(modelFor('outputStep'), [tripping('outputStep')]);
    const result = streamText({ model, prompt: 'Hello', onError: () => undefined });
    const types: string[] = [];
    for await (const { type } of result.fullStream) types.push(type);
    expect(types.filter((type) => type === 'error')).toHaveLength(1);
    for (const promise of [result.text, result.steps, result.finishReason, result.toolCalls])
      await expect(promise).rejects.toMatchObject({ name: 'TripwireError' });
  });

  it('emits no pending parts after the error', async () => {
    let stops = 0;
    const guard = guardOn('outputStream', ({ abort }) => abort('no'));
    const transform = toStreamTransform([guard], { window: 'delta' })({ tools: {}, stopStream: () => void (stops += 1) });
    const word = (text: string) => ({ type: 'text-delta', id: '1', text }) as const;
    const start = { type: 'start-step', request: {}, warnings: [] };
    const parts = ReadableStream.from([start, { type: 'text-start', id: '1' }, word('a'), word('b'), word('c')]);
    const seen: unknown[] = [];
    for await (const { type } of parts.pipeThrough(transform as never) as never as AsyncIterable<{ type: string }>)
      seen.push(type);
    expect(seen).toEqual(['start-step', 'text-start', 'error']);
    expect(stops).toBe(1);
  });

  it('concurrent runs are isolated from each other', async () => {
    const runOne = async (isBad: boolean) => {
      const guard = guardOn('outputStep', async ({ abort }) => {
        await sleep(10);
        if (isBad) abort('bad');
      });
      const run = createGuardedRun([guard]);
      const base = {
        model: modelFor('outputStep'),
        tools: createTools([]),
        prompt: 'Hi',
        stopWhen: isStepCount(3),
        onError: () => undefined,
      };
      const result = streamText({
        ...base,
        ...guardSettings(base, run),
        experimental_transform: toStreamTransform(run) as never,
      });
      return Promise.resolve(result.text).then(
        (text) => text,
        (error: unknown) => (error as Error).name,
      );
    };
    expect(await Promise.all([runOne(true), runOne(false), runOne(true)])).toEqual([
      'TripwireError',
      'All is paid.',
      'TripwireError',
    ]);
  });
});
