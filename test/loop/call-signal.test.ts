import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../../src/testing/index.js';
import type { RunEvent } from '../../src/index.js';
import { createAgent, guardOn, laned, modes, runAgent } from '../promises/support.js';

describe.each(modes)('the signal of a model call, %s', (mode) => {
  it('is not aborted after a complete response', async () => {
    const model = scriptedModel({ steps: [{ text: ['All is ', 'well.'] }] });
    expect(await runAgent(createAgent({ model }), mode)).toMatchObject({ status: 'success' });
    expect(model.calls[0]?.options.abortSignal?.aborted).toBe(false);
  });

  it.each([
    ['blocks', () => laned(['outputStream', guardOn('outputStream', ({ abort }) => abort('No.'))]), 'tripwire'],
    ['fails', () => laned(['outputStream', guardOn('outputStream', () => Promise.reject(new Error('Out of order.')))]), 'failed'],
  ])('is aborted if a guard %s during the response', async (_, config, status) => {
    const model = scriptedModel({ steps: [{ text: ['All is ', 'well.'] }] });
    expect(await runAgent(createAgent({ model, ...config() }), mode)).toMatchObject({ status });
    expect(model.calls[0]?.options.abortSignal?.aborted).toBe(true);
  });

  it('is aborted if the provider fails', async () => {
    const model = scriptedModel({ steps: [{ text: ['All is '], error: new Error('Out of order.') }] });
    expect(await runAgent(createAgent({ model }), mode)).toMatchObject({ status: 'failed' });
    expect(model.calls[0]?.options.abortSignal?.aborted).toBe(true);
  });

  it.each(['before its provider is called', 'while its provider is called'])('ends with the run, %s', async (moment) => {
    const controller = new AbortController();
    const signals: (AbortSignal | undefined)[] = [];
    const open = ({ abortSignal }: { abortSignal?: AbortSignal }) => {
      signals.push(abortSignal);
      controller.abort();
      return new Promise<never>(() => undefined); // a provider that ignores its signal
    };
    const calls = { doStream: open, doGenerate: open };
    const model = { specificationVersion: 'v2', provider: 'p', modelId: 'm', supportedUrls: {}, ...calls } as never; // of its version
    const onRunEvent = ({ type }: RunEvent) => {
      if (moment.startsWith('before') && type === 'model-call') controller.abort();
    };
    const agent = createAgent({ model });
    const options = { abortSignal: controller.signal, onRunEvent };
    if (mode === 'generate') await agent.generate('Go.', options);
    else await (await agent.stream('Go.', options)).consumeStream();
    expect(signals.map((signal) => signal?.aborted)).toEqual(moment.startsWith('while') ? [true] : []);
  });
});
