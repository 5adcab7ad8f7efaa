import { isPromise } from '../phase/awaitable.js';

/** By contract a failing callback never changes the outcome of a run. */
const ignore = (): void => undefined;

/** Runs a callback of the application without letting it disturb the run. Returns a promise only if the callback does. */
export const safely = (callback: ((value: never) => unknown) | undefined, value: unknown): Promise<void> | undefined => {
  if (!callback) return undefined;
  try {
    const pending = callback(value as never); // each call passes a value of its callback's type
    return isPromise(pending) ? pending.then(ignore, ignore) : undefined;
  } catch {
    return undefined;
  }
};
