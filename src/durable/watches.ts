import type { Awaitable } from '../phase/awaitable.js';

/** The latest heartbeat of a process, or of a run that it has claimed. */
interface Heartbeat {
  readonly id: string;
  /** Changes as long as the process lives. */
  readonly beat: string;
  /** Milliseconds without a change after which the process is dead. */
  readonly leaseMs: number;
}

/**
 * Finds dead processes by their heartbeats. Clocks are never compared: only this process's monotonic clock counts.
 *
 * @param maxGapMs the longest time between two calls of `listen`; after a longer one this process, or the store, was paused, and the wait starts again
 */
export const createHeartbeats = (maxGapMs: number) => {
  let known = new Map<string, { readonly beat: string; readonly since: number }>();
  let listenedAt = performance.now();
  return {
    /** Takes the latest heartbeats of all others; returns those that this process has seen unchanged for a whole lease. */
    listen: (others: readonly Heartbeat[]): readonly Heartbeat[] => {
      const now = performance.now();
      if (now - listenedAt > maxGapMs) known.clear();
      listenedAt = now;
      known = new Map(
        others.map(({ id, beat }) => {
          const before = known.get(id);
          return [id, before?.beat === beat ? before : { beat, since: now }];
        }),
      );
      return others.filter(({ id, leaseMs }) => now - (known.get(id)?.since ?? now) >= leaseMs);
    },
    /** The wait for a change starts again. */
    clear: () => known.clear(),
  };
};

/** The interval of the checks. */
const pollMs = 250;

/**
 * Signals requested cancellations to the runs of this process, whichever process received the request.
 *
 * @param requestedAmong the runs among these whose cancellation is requested
 */
export const watchCancels = (requestedAmong: (runIds: readonly string[]) => Awaitable<readonly string[]>) => {
  const watched = new Map<string, AbortController>();
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const check = async (before: Promise<void>): Promise<void> => {
    await before;
    next = undefined; // a request from now on may be missed by this check
    if (watched.size === 0) return;
    try {
      const current = new Map(watched); // a later execution of a run is not canceled by a request to an earlier one
      for (const runId of await requestedAmong([...current.keys()])) current.get(runId)?.abort();
    } catch {
      return; // the store is away: the next check does it
    }
  };
  const look = (): Promise<void> => (last = next ??= check(last));
  const timer = setInterval(() => void look(), pollMs);
  timer.unref();
  return {
    /** The signal is aborted when a cancellation of the run is requested. */
    watch: (runId: string): AbortSignal => {
      const controller = new AbortController();
      watched.set(runId, controller);
      return controller.signal;
    },
    /** Ends a watch, unless a later one has replaced it. */
    forget: (runId: string, signal: AbortSignal): void => {
      if (watched.get(runId)?.signal === signal) watched.delete(runId);
    },
    /** Checks at once. */
    look,
    stop: () => clearInterval(timer),
  };
};
