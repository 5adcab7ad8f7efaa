import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { createRunQueue } from './run-queue.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A queue of one run at a time, with one run under way, one that waits here, and one that is about to leave this process. */
const busyQueue = async () => {
  const queue = createRunQueue({ concurrency: 1 });
  const [forget, wake] = [vi.fn<() => void>(), vi.fn<() => void>()];
  const leaving = Promise.withResolvers<void>();
  const { signal: ended } = new AbortController();
  const start = (runId: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    void queue.run({ runId, priority: 0, ended }, () => promise);
    return resolve;
  };
  const ends = [start('first'), start('second')];
  const waitOutside = async (onLeave: (run: { wake(): void; forget(): void; withinMs: number }) => void): Promise<void> => {
    await leaving.promise;
    onLeave({ wake, forget, withinMs: 10_000 });
    await new Promise(() => undefined);
  };
  void queue.run({ runId: 'third', priority: 0, ended, waitOutside }, async () => undefined);
  await vi.advanceTimersByTimeAsync(0);
  const end = async (): Promise<void> => {
    for (const one of ends) one();
    await vi.advanceTimersByTimeAsync(0);
  };
  const leave = async (): Promise<void> => {
    leaving.resolve();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { queue, end, leave, wake, forget };
};

it('wakes a run that leaves when the queue has become empty', async () => {
  const { queue, end, leave, wake } = await busyQueue();
  await end();
  expect(wake).not.toHaveBeenCalled();
  await leave();
  expect(wake).toHaveBeenCalledTimes(1);
  expect(queue.queued).toBe(0);
});

it('does not count a run that the engine has woken for another process', async () => {
  const { queue, leave, wake, forget } = await busyQueue();
  await leave();
  expect([queue.queued, wake.mock.calls.length]).toEqual([2, 0]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([queue.queued, wake.mock.calls.length, forget.mock.calls.length]).toEqual([1, 0, 1]);
});

it('wakes a waiting run once the queue is empty, and no timer remains', async () => {
  const { queue, end, leave, wake, forget } = await busyQueue();
  await leave();
  await end();
  expect([queue.queued, wake.mock.calls.length]).toEqual([0, 1]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([wake.mock.calls.length, forget.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0, 0]);
});
