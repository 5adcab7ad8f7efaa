import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../../src/testing/index.js';
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
});
