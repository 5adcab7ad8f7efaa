import { isPromise } from '../phase/awaitable.js';

/** By contract a failing callback never changes how a run went. */
const ignore = (): void => undefined;

/** Runs somebody else's callback without letting it disturb the run. Gives a promise only where the callback does: most have nothing to wait for. */
export const safely = (callback: ((value: never) => unknown) | undefined, value: unknown): Promise<void> | undefined => {
  if (!callback) return undefined;
  try {
    const pending = callback(value as never); // each callback's value is made for it
    return isPromise(pending) ? pending.then(ignore, ignore) : undefined;
  } catch {
    return undefined;
  }
};
