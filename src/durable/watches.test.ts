import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { watchCancels } from './watches.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a check during another one finds what the other one has missed', async () => {
  const requested = new Set<string>();
  const answer = Promise.withResolvers<void>();
  const watch = watchCancels(async (runIds) => {
    const found = runIds.filter((runId) => requested.has(runId));
    await answer.promise;
    return found;
  });
  const one = watch.watch('one');
  const first = watch.look();
  await vi.advanceTimersByTimeAsync(0);
  const two = watch.watch('two');
  requested.add('one').add('two');
  const second = watch.look();
  answer.resolve();
  await Promise.all([first, second]);
  expect([one.aborted, two.aborted]).toEqual([true, true]);
  watch.stop();
  expect(vi.getTimerCount()).toBe(0);
});

it('a store that fails is asked again', async () => {
  let isAway = true;
  const watch = watchCancels((runIds) => {
    if (isAway) throw new Error('The file is locked.');
    return runIds;
  });
  const one = watch.watch('one');
  await watch.look();
  isAway = false;
  await watch.look();
  expect(one.aborted).toBe(true);
});

it('a request to an execution does not cancel a later one of the run, and its end does not end the watch of the later one', async () => {
  const answer = Promise.withResolvers<readonly string[]>();
  const answers = [answer.promise, Promise.resolve(['one'])];
  const watch = watchCancels(async () => (await answers.shift()) ?? []);
  const first = watch.watch('one');
  const looking = watch.look();
  await vi.advanceTimersByTimeAsync(0);
  const second = watch.watch('one');
  answer.resolve(['one']);
  await looking;
  watch.forget('one', first);
  expect([first.aborted, second.aborted]).toEqual([true, false]);
  await watch.look();
  expect(second.aborted).toBe(true);
});
