import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { TakenOver } from '../journal.js';
import { createReturns } from './recover.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const released: string[] = [];
const release = async (workflowId: string): Promise<void> => void released.push(workflowId);
beforeEach(() => void released.splice(0));

it('releases a run once, after the execution that left it', async () => {
  const returns = createReturns(release, new AbortController().signal);
  returns.later('one', { check: () => undefined });
  await vi.advanceTimersByTimeAsync(600_000);
  expect([released, vi.getTimerCount()]).toEqual([['one'], 0]);
});

it('does not release a run that another execution has claimed, or that is canceled', async () => {
  const returns = createReturns(release, new AbortController().signal);
  const check = async () => {
    throw new TakenOver();
  };
  returns.later('one', { check });
  await vi.advanceTimersByTimeAsync(600_000);
  expect([released, vi.getTimerCount()]).toEqual([[], 0]);
});

it('tries again while the database is away', async () => {
  let isAway = true;
  const returns = createReturns(release, new AbortController().signal);
  const check = async () => {
    if (isAway) throw new Error('The database is away.');
  };
  returns.later('one', { check });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(released).toEqual([]);
  isAway = false;
  await vi.advanceTimersByTimeAsync(600_000);
  expect([released, vi.getTimerCount()]).toEqual([['one'], 0]);
});

it('releases no run once the engine closes', async () => {
  const closing = new AbortController();
  const returns = createReturns(release, closing.signal);
  returns.later('one', { check: () => undefined });
  closing.abort();
  await vi.advanceTimersByTimeAsync(600_000);
  expect([released, vi.getTimerCount()]).toEqual([[], 0]);
});
