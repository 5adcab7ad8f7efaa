import type { StreamGate } from './stream-gate.js';

/**
 * The provider's chunks as they come. Ends as soon as a running guard stops the stream, even if the provider is silent, and then requests
 * no more chunks.
 */
export async function* untilStopped<T>(
  chunks: AsyncIterable<T>,
  gate: Pick<StreamGate, 'isBusy' | 'onStop' | 'stopped'>,
): AsyncGenerator<T, void> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    while (!gate.stopped) {
      const next = await (gate.isBusy ? orStopped(iterator.next(), gate) : iterator.next());
      if (!next || next.done) return;
      yield next.value;
    }
  } finally {
    // Does not wait for a provider that hangs; its caller aborts it.
    iterator.return?.()?.catch(() => undefined);
  }
}

/** Creates a new promise for each chunk: one that lives as long as the stream would retain them all. */
const orStopped = <T>(next: Promise<T>, gate: Pick<StreamGate, 'onStop'>): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    gate.onStop(() => resolve(undefined));
    next.then(resolve, reject);
  });
