import { isPromise } from '../phase/awaitable.js';

/** By contract a failing callback never changes the outcome of a run. */
const ignore = (): void => undefined;

/** Runs a callback of the application without letting it disturb the run. Returns a promise only if the callback does. */
export const safely = (
  callback: ((...values: never[]) => unknown) | undefined,
  ...values: unknown[]
): Promise<void> | undefined => {
  if (!callback) return undefined;
  try {
    const pending = callback(...(values as never[])); // each call passes values of its callback's types
    return isPromise(pending) ? Promise.resolve(pending).then(ignore, ignore) : undefined;
  } catch {
    return undefined;
  }
};
