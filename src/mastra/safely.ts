import { isPromise } from '../phase/awaitable.js';

/** By contract a failing callback never changes how a run went. */
const ignore = (): void => undefined;

/** Runs a callback of the application without letting it disturb the run. Returns a promise only if the callback does. */
export const safely = (callback: ((value: never) => unknown) | undefined, value: unknown): Promise<void> | undefined => {
  if (!callback) return undefined;
  try {
    const pending = callback(value as never); // each callback's value is made for it
    return isPromise(pending) ? pending.then(ignore, ignore) : undefined;
  } catch {
    return undefined;
  }
};
