import { describe, expect, it } from 'vitest';
import type { InterlockError } from '../../errors.js';
import { readPolicy } from './guard-policy.js';

const refusal = (options: unknown): Pick<InterlockError, 'code' | 'path' | 'message'> => {
  try {
    readPolicy(options, 'pii');
  } catch (error) {
    const { code, path, message } = error as InterlockError;
    return { code, path, message };
  }
  throw new Error('The options were accepted.');
};

describe('options', () => {
  it('are copied into an immutable object', () => {
    const options = {
      deadlineMs: 1,
      onUnavailable: 'trip',
      breaker: { failures: 1, halfOpenAfterMs: 2_147_483_647 },
      concurrency: { limit: 1, queue: 0 },
      cache: { maxEntries: 1, ttlMs: 1 },
      sampleRate: 0,
      window: { chars: 1 },
      overlap: true,
    };
    const policy = readPolicy(options, 'pii');
    expect(policy).toEqual(options);
    expect(policy).not.toBe(options);
    expect(Object.isFrozen(policy)).toBe(true);
    for (const window of ['chunk', 'sentence', 'part', 'step', { tokens: 3 }] as const)
      expect(readPolicy({ window }, 'pii')).toEqual({ window });
    expect(readPolicy({ shadow: true, sampleRate: 0.5, deadlineMs: 5, window: 'sentence' }, 'pii')).toMatchObject({
      shadow: true,
    });
  });

  it.each([
    [{ timeoutMs: 5 }, 'pii.timeoutMs'],
    [{ breaker: { failures: 1, halfOpenAfterMs: 1, openMs: 1 } }, 'pii.breaker.openMs'],
    [{ concurrency: { limit: 1, max: 2 } }, 'pii.concurrency.max'],
    [{ cache: { maxEntries: 1, size: 2 } }, 'pii.cache.size'],
  ])('are rejected if unknown: %j', (options, path) => {
    expect(refusal(options)).toMatchObject({ code: 'guard/unknown-option', path });
  });

  it.each([
    [{ deadlineMs: 0 }, 'pii.deadlineMs'],
    [{ deadlineMs: -1 }, 'pii.deadlineMs'],
    [{ deadlineMs: 1.5 }, 'pii.deadlineMs'],
    [{ deadlineMs: Number.NaN }, 'pii.deadlineMs'],
    [{ deadlineMs: Infinity }, 'pii.deadlineMs'],
    [{ deadlineMs: 2_147_483_648 }, 'pii.deadlineMs'],
    [{ deadlineMs: '5' }, 'pii.deadlineMs'],
    [{ onUnavailable: 'ignore' }, 'pii.onUnavailable'],
    [{ breaker: { failures: 0, halfOpenAfterMs: 1 } }, 'pii.breaker.failures'],
    [{ breaker: { failures: 1 } }, 'pii.breaker.halfOpenAfterMs'],
    [{ breaker: true }, 'pii.breaker'],
    [{ concurrency: { limit: 0 } }, 'pii.concurrency.limit'],
    [{ concurrency: { limit: 1, queue: -1 } }, 'pii.concurrency.queue'],
    [{ concurrency: 4 }, 'pii.concurrency'],
    [{ cache: { maxEntries: 0 } }, 'pii.cache.maxEntries'],
    [{ cache: { maxEntries: 1, ttlMs: 0 } }, 'pii.cache.ttlMs'],
    [{ shadow: 'yes' }, 'pii.shadow'],
    [{ sampleRate: -0.1 }, 'pii.sampleRate'],
    [{ sampleRate: 1.1 }, 'pii.sampleRate'],
    [{ sampleRate: Number.NaN }, 'pii.sampleRate'],
    [{ window: 'word' }, 'pii.window'],
    [{ window: { chars: 0 } }, 'pii.window'],
    [{ window: { tokens: 1.5 } }, 'pii.window'],
    [{ window: { chars: 1, tokens: 1 } }, 'pii.window'],
    [{ window: {} }, 'pii.window'],
    [{ overlap: 1 }, 'pii.overlap'],
    ['trip', 'pii'],
    [null, 'pii'],
  ])('are rejected if invalid: %j', (options, path) => {
    const { code, path: at } = refusal(options);
    expect(code).toBe('guard/invalid-option');
    expect(at === path || at?.startsWith(`${path}.`)).toBe(true);
  });

  it('are rejected together, with similar names', () => {
    const { code, message } = refusal({ deadlinMs: 5, window: 'word', breaker: { failures: 0, halfOpenAfterMs: 0 } });
    expect(code).toBe('guard/unknown-option');
    expect(message).toContain('at pii.deadlinMs: did you mean deadlineMs?; pii.window: it must be');
    expect(message).toMatch(/pii\.breaker\.failures: .*; pii\.breaker\.halfOpenAfterMs: /);
  });

  it.each([
    [{ shadow: true, onUnavailable: 'trip' }, 'pii.onUnavailable'],
    [{ shadow: true, onUnavailable: 'fail' }, 'pii.onUnavailable'],
    [{ shadow: true, overlap: true }, 'pii.overlap'],
  ])('are rejected if contradictory: %j', (options, path) => {
    expect(refusal(options)).toMatchObject({ code: 'guard/invalid-option', path });
    expect(refusal(options).message).toContain('with shadow:');
  });
});
