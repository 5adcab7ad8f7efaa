export type Awaitable<T> = T | Promise<T>;

export const isPromise = <T>(value: Awaitable<T>): value is Promise<T> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/**
 * Continues with a value as soon as it is available. It runs synchronously if the value is no promise, so that a chain of synchronous
 * guards costs no turn of the event loop.
 */
export const whenReady = <T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> =>
  isPromise(value) ? value.then(next) : next(value);
