import { afterEach, describe, expect, it } from 'vitest';

import { anySignal } from './awaitable.js';

const native = AbortSignal.any;
afterEach(() => void (AbortSignal.any = native));

describe.each(['with AbortSignal.any', 'without it'])('anySignal, %s', (how) => {
  const combined = (signals: readonly AbortSignal[]): AbortSignal => {
    if (how === 'without it') Object.assign(AbortSignal, { any: undefined });
    return anySignal(signals);
  };

  it('aborts with the first signal and its reason', () => {
    const second = new AbortController();
    const signal = combined([new AbortController().signal, second.signal]);
    expect(signal.aborted).toBe(false);
    second.abort('second');
    expect([signal.aborted, signal.reason]).toEqual([true, 'second']);
  });

  it('is aborted from the start if one signal is aborted', () => {
    const signal = combined([new AbortController().signal, AbortSignal.abort('before')]);
    expect([signal.aborted, signal.reason]).toEqual([true, 'before']);
  });
});
