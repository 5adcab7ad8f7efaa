import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPause, pollMs } from './following.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('pauses of one process share the ticks of one clock', async () => {
  const pause = createPause();
  const ended: string[] = [];
  const wait = async (name: string, ms?: number) => {
    await pause(ms);
    ended.push(name);
  };
  void wait('a');
  await vi.advanceTimersByTimeAsync(pollMs / 2);
  void wait('b');
  void wait('long', 3 * pollMs);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(pollMs / 2);
  expect(ended).toEqual(['a', 'b']);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(2 * pollMs);
  expect(ended).toEqual(['a', 'b', 'long']);
  expect(vi.getTimerCount()).toBe(0);
});
