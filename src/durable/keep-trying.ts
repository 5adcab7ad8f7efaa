import pRetry from 'p-retry';
import { InterlockError, isInterlockError } from '../errors.js';

/** What is tried until it succeeds. */
export interface Trying<T> {
  readonly done: Promise<T>;
  /** What came of it. Raises `durable/unreachable` where nothing has within some milliseconds. */
  within(patienceMs: number): Promise<T>;
}

export interface KeepTrying {
  /** The path of the option that holds the address of the unreachable server. */
  readonly path: string;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Tries something until it succeeds; what is refused by its code is not tried again. */
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
