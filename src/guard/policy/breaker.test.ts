import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createScope } from '../../phase/test-setup.js';
import { callGuard, onCall, planOf, same, settle, type GuardCalls, type Hook } from './test-setup.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const breaker = { failures: 3, halfOpenAfterMs: 1_000 };
const verdictName = ({ verdict }: GuardCalls): unknown =>
  verdict.kind === 'unavailable' ? ((verdict.error as { code?: string }).code ?? 'down') : verdict.kind;

/** A guard that is up or down, with a count of its calls. */
const switched = () => {
  const guard = { isUp: false, asked: 0 };
  const hook: Hook = async (args) => {
    guard.asked += 1;
    if (!guard.isUp) throw new Error('down');
    return same(args);
  };
  return Object.assign(guard, { plan: planOf(hook, { breaker }) });
};

const askTimes = async ({ plan }: ReturnType<typeof switched>, times: number): Promise<unknown[]> => {
  const verdicts: unknown[] = [];
  for (let time = 0; time < times; time += 1)
    verdicts.push(verdictName(await callGuard(plan, time % 2 ? 'input' : 'outputStep')));
  return verdicts;
};

it('opens after consecutive failures across runs and phases, and stops calling the guard', async () => {
  const guard = switched();
  expect(await askTimes(guard, 5)).toEqual(['down', 'down', 'down', 'guard/breaker-open', 'guard/breaker-open']);
  expect(guard.asked).toBe(3);
});

it('resets the failure count on a success', async () => {
  const guard = switched();
  await askTimes(guard, 2);
  guard.isUp = true;
  expect(await askTimes(guard, 1)).toEqual(['pass']);
  guard.isUp = false;
  expect(await askTimes(guard, 3)).toEqual(['down', 'down', 'down']);
  expect(await askTimes(guard, 1)).toEqual(['guard/breaker-open']);
});

it('counts a blocking verdict as a success', async () => {
  const plan = planOf(({ abort }) => abort('bad'), { breaker });
  for (let time = 0; time < 5; time += 1) expect(verdictName(await callGuard(plan, 'input'))).toBe('trip');
});

it('allows one trial call when half-open, and closes on success', async () => {
  const guard = switched();
  await askTimes(guard, 3);
  await vi.advanceTimersByTimeAsync(999);
  expect(await askTimes(guard, 1)).toEqual(['guard/breaker-open']);
  await vi.advanceTimersByTimeAsync(1);
  guard.isUp = true;
  expect(await askTimes(guard, 3)).toEqual(['pass', 'pass', 'pass']);
  expect(guard.asked).toBe(6);
});

it('allows one trial call when half-open, and reopens on failure', async () => {
  const guard = switched();
  await askTimes(guard, 3);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await askTimes(guard, 3)).toEqual(['down', 'guard/breaker-open', 'guard/breaker-open']);
  await vi.advanceTimersByTimeAsync(1_000);
  guard.isUp = true;
  expect(await askTimes(guard, 1)).toEqual(['pass']);
});

it('rejects other calls during the trial call', async () => {
  let isDown = true;
  const { hook, calls } = onCall();
  const plan = planOf((args) => (isDown ? Promise.reject(new Error('down')) : hook(args)), {
    breaker: { ...breaker, failures: 1 },
  });
  await callGuard(plan, 'input');
  await vi.advanceTimersByTimeAsync(1_000);
  isDown = false;
  const trying = callGuard(plan, 'input');
  await settle();
  expect(verdictName(await callGuard(plan, 'input'))).toBe('guard/breaker-open');
  expect(calls).toHaveLength(1);
  calls[0]?.answer();
  expect(verdictName(await trying)).toBe('pass');
});

it('counts an aborted call neither as a failure nor as a success', async () => {
  const guard = switched();
  const gone = AbortSignal.abort();
  await askTimes(guard, 2);
  for (let time = 0; time < 5; time += 1) await callGuard(guard.plan, 'input', { scope: createScope({ abortSignal: gone }) });
  expect(guard.asked).toBe(7);
  expect(await askTimes(guard, 2)).toEqual(['down', 'guard/breaker-open']);
});

it('stays open after an aborted trial call', async () => {
  const guard = switched();
  await askTimes(guard, 3);
  await vi.advanceTimersByTimeAsync(1_000);
  await callGuard(guard.plan, 'input', { scope: createScope({ abortSignal: AbortSignal.abort() }) });
  expect(await askTimes(guard, 1)).toEqual(['guard/breaker-open']);
});

it('counts failures per guard', async () => {
  await askTimes(switched(), 3);
  expect(await askTimes(switched(), 1)).toEqual(['down']);
});
