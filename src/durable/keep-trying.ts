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
  const within = async (patienceMs: number): Promise<T> => {
    const { promise: tooLate, reject } = Promise.withResolvers<never>();
    const end = (): void => reject(new InterlockError('durable/unreachable', { path, detail: last?.message, cause: last }));
    const timer = setTimeout(end, patienceMs);
    try {
      return await Promise.race([done, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  };
  return { done, within };
};
