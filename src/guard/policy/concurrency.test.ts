import { expect, it } from 'vitest';
import { createScope } from '../../phase/test-setup.js';
import { callGuard, onCall, planOf, settle } from './test-setup.js';

it('limits concurrent calls across runs and phases, and starts queued calls in order', async () => {
  const { hook, calls } = onCall();
  const plan = planOf(hook, { concurrency: { limit: 2 } });
  const results = (['input', 'outputStep', 'outputStream', 'input'] as const).map((phase) => callGuard(plan, phase));
  await settle();
  expect(calls).toHaveLength(2);
  calls[1]?.answer();
  await settle();
  expect(calls).toHaveLength(3);
  expect(calls[2]?.args.part).toBeDefined();
  for (const index of [0, 2]) calls[index]?.answer();
  await settle();
  calls[3]?.answer();
  for (const one of results) expect((await one).verdict).toEqual({ kind: 'pass' });
});

it.each([0, 1, 3])('reports the first call beyond a queue of %i as unavailable at once', async (queue) => {
  const { hook, calls } = onCall();
  const plan = planOf(hook, { concurrency: { limit: 2, queue } });
  const results = Array.from({ length: 2 + queue }, () => callGuard(plan, 'input'));
  expect((await callGuard(plan, 'input')).verdict).toMatchObject({ kind: 'unavailable', error: { code: 'guard/busy' } });
  for (let index = 0; index < results.length; index += 1) {
    await settle();
    calls[index]?.answer();
  }
  for (const one of results) expect((await one).verdict).toEqual({ kind: 'pass' });
  expect(calls).toHaveLength(2 + queue);
});

it('frees the slot of a failed call', async () => {
  const { hook, calls } = onCall();
  const plan = planOf(hook, { concurrency: { limit: 1 } });
  const [first, second] = [callGuard(plan, 'input'), callGuard(plan, 'input')];
  await settle();
  calls[0]?.fail(new Error('down'));
  expect((await first).verdict).toMatchObject({ kind: 'unavailable', error: { message: 'down' } });
  await settle();
  calls[1]?.answer();
  expect((await second).verdict).toEqual({ kind: 'pass' });
});

it('frees the slot of an aborted call, even if the guard ignores the signal', async () => {
  const { hook, calls } = onCall();
  const plan = planOf(hook, { concurrency: { limit: 1 } });
  const gone = new AbortController();
  const first = callGuard(plan, 'input', { scope: createScope({ abortSignal: gone.signal }) });
  const second = callGuard(plan, 'input');
  await settle();
  gone.abort(new Error('gone'));
  expect((await first).verdict).toMatchObject({ kind: 'unavailable', error: { message: 'gone' } });
  await settle();
  expect(calls).toHaveLength(2);
  calls[1]?.answer();
  expect((await second).verdict).toEqual({ kind: 'pass' });
});
