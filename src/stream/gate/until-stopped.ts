import type { StreamGate } from './stream-gate.js';

/**
 * The provider's chunks as they come. Ends as soon as a running guard stops the stream, even if the provider is silent, and then requests
 * no more chunks. A generator would cost each chunk two more turns.
 */
export const untilStopped = <T>(
  chunks: AsyncIterable<T>,
  gate: Pick<StreamGate, 'isBusy' | 'onStop' | 'stopped'>,
): AsyncIterable<T> => ({
  [Symbol.asyncIterator]: () => {
    const iterator = chunks[Symbol.asyncIterator]();
    const end = async (): Promise<IteratorResult<T>> => {
      iterator.return?.()?.catch(() => undefined); // does not wait for a provider that hangs; its caller aborts it
      return { done: true, value: undefined };
    };
    const next = (): Promise<IteratorResult<T>> => {
      if (gate.stopped) return end();
      return gate.isBusy ? orStopped(iterator.next(), gate).then((one) => one ?? end()) : iterator.next();
    };
    return { next, return: end };
  },
});

/** Creates a new promise for each chunk: one that lives as long as the stream would retain them all. */
const orStopped = <T>(next: Promise<T>, gate: Pick<StreamGate, 'onStop'>): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    gate.onStop(() => resolve(undefined));
    next.then(resolve, reject);
  });
