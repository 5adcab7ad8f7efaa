import type { Awaitable } from '../phase/awaitable.js';

/** Signals requested cancellations to the runs of this process, whichever process received the request. */
export interface CancelWatch {
  /** Aborted when a cancellation of the run is requested. */
  watch(runId: string): AbortSignal;
  forget(runId: string): void;
  /** Checks at once. */
  look(): Promise<void>;
  stop(): void;
}

/** The interval of the checks. */
const pollMs = 250;

/** @param requestedAmong the runs among these whose cancellation is requested */
export const watchCancels = (requestedAmong: (runIds: readonly string[]) => Awaitable<readonly string[]>): CancelWatch => {
  const watched = new Map<string, AbortController>();
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const check = async (before: Promise<void>): Promise<void> => {
    await before;
    next = undefined; // a request from now on may be missed by this check
    if (watched.size === 0) return;
    try {
      for (const runId of await requestedAmong([...watched.keys()])) watched.get(runId)?.abort();
    } catch {
      return; // the store is away: the next check does it
    }
  };
  const look = (): Promise<void> => (last = next ??= check(last));
  const timer = setInterval(() => void look(), pollMs);
  timer.unref();
  return {
    watch: (runId) => {
      const controller = new AbortController();
      watched.set(runId, controller);
      return controller.signal;
    },
    forget: (runId) => void watched.delete(runId),
    look,
    stop: () => clearInterval(timer),
  };
};
