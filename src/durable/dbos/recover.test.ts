import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { createReturns } from './recover.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('does not release a run that another execution continues in this process, until that one has ended', async () => {
  const underWay = new Set(['one']);
  const released: string[] = [];
  const returns = createReturns({
    release: async (workflowId) => void released.push(workflowId),
    isUnderWay: (workflowId) => underWay.has(workflowId),
    closing: new AbortController().signal,
  });
  returns.later('one');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(released).toEqual([]);
  underWay.delete('one');
  await vi.advanceTimersByTimeAsync(60_000);
  expect([released, vi.getTimerCount()]).toEqual([['one'], 0]);
});

it('releases no run once the engine closes', async () => {
  const closing = new AbortController();
  const released: string[] = [];
  const release = async (workflowId: string): Promise<void> => void released.push(workflowId);
  const returns = createReturns({ release, isUnderWay: () => false, closing: closing.signal });
  returns.later('one');
  closing.abort();
  await vi.advanceTimersByTimeAsync(600_000);
  expect([released, vi.getTimerCount()]).toEqual([[], 0]);
});
