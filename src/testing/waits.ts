import { setTimeout as sleep } from 'node:timers/promises';

/** Never resolves; rejects with the signal's reason once it is aborted. */
export const rejectOnAbort = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => {
    const abort = () => reject(signal?.reason);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });

/** Waits `ms` milliseconds; rejects with the signal's reason once it is aborted. */
export const wait = async (ms: number, signal?: AbortSignal): Promise<void> => {
  signal?.throwIfAborted();
  if (ms <= 0) return;
  // Node's own rejection wraps the reason; providers throw the caller's.
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
};
