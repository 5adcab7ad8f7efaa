export type Awaitable<T> = T | Promise<T>;

export const isPromise = <T>(value: Awaitable<T>): value is Promise<T> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/**
 * Continues with a value as soon as it is available. It runs synchronously if the value is no promise, so that a chain of synchronous
 * guards costs no turn of the event loop. The value may be any object with `then`, as some libraries return it.
 */
export const whenReady = <T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> =>
  isPromise(value) ? Promise.resolve(value).then(next) : next(value);

/**
 * The value of a function; undefined if it throws. A promise is undefined, too, and its rejection is ignored: code that only observes
 * affects neither the run nor the process.
 */
export const attempted = <T>(act: () => T): T | undefined => {
  try {
    const value = act();
    return isPromise(value) ? void Promise.resolve(value).catch(() => undefined) : value;
  } catch {
    return undefined;
  }
};

/** A signal that aborts with the first of several. `AbortSignal.any` is missing in Next.js edge routes. */
export const anySignal = (given: readonly (AbortSignal | undefined)[]): AbortSignal => {
  const signals = given.filter((signal) => signal !== undefined);
  const [only] = signals;
  if (only && signals.length === 1) return only;
  if (typeof AbortSignal.any === 'function') return AbortSignal.any([...signals]);
  const controller = new AbortController();
  for (const signal of signals) {
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true, signal: controller.signal });
  }
  return controller.signal;
};

/** The value, or undefined as soon as the signal is aborted: does not wait for work that ignores the signal. */
export const untilAborted = <T>(value: Promise<T>, signal: AbortSignal): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const giveUp = () => resolve(undefined);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    const settle =
      <V>(end: (value: V) => void) =>
      (made: V) => {
        signal.removeEventListener('abort', giveUp);
        end(made);
      };
    value.then(settle(resolve), settle(reject));
  });

/**
 * Runs a callback of the application without letting it disturb the run: by contract its failure never changes the outcome. Returns a
 * promise only if the callback does.
 */
export const safely = (
  callback: ((...values: never[]) => unknown) | undefined,
  ...values: unknown[]
): Promise<void> | undefined => {
  if (!callback) return undefined;
  try {
    const pending = callback(...(values as never[])); // each call passes values of its callback's types
    const ignore = (): void => undefined;
    return isPromise(pending) ? Promise.resolve(pending).then(ignore, ignore) : undefined;
  } catch {
    return undefined;
  }
};
