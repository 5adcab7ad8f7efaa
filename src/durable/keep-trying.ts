import pRetry from 'p-retry';
import { InterlockError, isInterlockError } from '../errors.js';

/** An operation that is retried until it succeeds. */
export interface Trying<T> {
  readonly done: Promise<T>;
  /** The result. Raises `durable/unreachable` if there is none within the given milliseconds. */
  within(patienceMs: number): Promise<T>;
}

interface KeepTrying {
  /** The path of the option that holds the address of the unreachable server. */
  readonly path: string;
  /** Ends the retries. */
  readonly signal: AbortSignal;
}

/** Retries an operation until it succeeds. Errors with a code of this library are not retried. */
export const keepTrying = <T>(act: () => Promise<T>, { path, signal }: KeepTrying): Trying<T> => {
  let last: Error | undefined;
  const done = pRetry(act, {
    retries: Infinity,
    minTimeout: 250,
    maxTimeout: 2_000,
    signal,
    shouldRetry: ({ error }) => !isInterlockError(error),
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
