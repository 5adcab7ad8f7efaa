import pRetry from 'p-retry';
import { setImmediate } from 'node:timers/promises';

import { InterlockError, isInterlockError } from '../errors.js';
import type { Awaitable } from '../phase/awaitable.js';
import type { Board } from './journal.js';

/** An operation that is retried until it succeeds. */
export interface Trying<T> {
  readonly done: Promise<T>;
  /** The result. Raises `durable/unreachable` if there is none within the given milliseconds. */
  within(patienceMs: number): Promise<T>;
}

/**
 * Retries an operation until it succeeds. Of the errors with a code of this library, only `durable/unreachable` is retried.
 *
 * @param path the path of the option that holds the address of the unreachable server
 * @param signal ends the retries
 */
export const keepTrying = <T>(act: () => Promise<T>, path: string, signal: AbortSignal): Trying<T> => {
  let last: Error | undefined;
  const done = pRetry(act, {
    retries: Infinity,
    minTimeout: 250,
    maxTimeout: 2_000,
    signal,
    shouldRetry: ({ error }) => !isInterlockError(error) || isInterlockError(error, 'durable/unreachable'),
    onFailedAttempt: ({ error }) => {
      last = error;
    },
  });
  done.catch(() => undefined); // the caller handles the rejection
  return { done, within: (patienceMs) => inTime(done, patienceMs, () => unreachableAt(path, last)) };
};

/** The error of a server that does not respond. */
export const unreachableAt = (path: string, cause: Error | undefined): InterlockError =>
  new InterlockError('durable/unreachable', { path, detail: cause?.message, cause });

/** The result of work, or the error if there is none within the given milliseconds. */
export const inTime = async <T>(work: Promise<T>, patienceMs: number, error: () => Error): Promise<T> => {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(error()), patienceMs);
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Collects the calls of one turn of the event loop, and makes them together: `all` gets each different key once, and returns the values in
 * the order of the keys. A value may be a promise, so that one that rejects does not affect the others.
 */
export const together = <Value>(
  all: (keys: readonly string[]) => Awaitable<readonly Awaitable<Value>[]>,
): ((key: string) => Promise<Value>) => {
  let open: { readonly keys: Set<string>; readonly values: Promise<ReadonlyMap<string, Awaitable<Value>>> } | undefined;
  const collect = () => {
    const keys = new Set<string>();
    const made = async () => {
      await setImmediate();
      open = undefined;
      const values = await all([...keys]);
      return new Map([...keys].map((key, index) => [key, values[index] as Awaitable<Value>])); // one value for each key
    };
    return { keys, values: made() };
  };
  return async (key) => {
    open ??= collect();
    open.keys.add(key);
    const values = await open.values;
    return values.get(key) as Awaitable<Value>; // each key of the call has a value
  };
};

/** The place in a run's entries from which a reader reads. */
type ReadPlace = readonly [runId: string, from: number];

/** A board's `read` that makes the reads of one turn together, as {@link together} does. */
export const readTogether = (
  all: (places: readonly ReadPlace[]) => Awaitable<readonly Awaitable<readonly string[]>[]>,
): Board['read'] => {
  const read = together((keys) => all(keys.map((key) => JSON.parse(key) as ReadPlace))); // as written below
  return (runId, from) => read(JSON.stringify([runId, from] satisfies ReadPlace));
};
