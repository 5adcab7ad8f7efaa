/** The latest heartbeat of a process, or of a run that it has claimed. */
export interface Heartbeat {
  readonly id: string;
  /** Changes as long as the process lives. */
  readonly beat: string;
  /** Milliseconds without a change after which the process is dead. */
  readonly leaseMs: number;
}

/** Finds dead processes by their heartbeats. Clocks are never compared: only this process's monotonic clock counts. */
interface Heartbeats {
  /** Takes the latest heartbeats of all others; returns those that this process has seen unchanged for a whole lease. */
  listen(others: readonly Heartbeat[]): readonly Heartbeat[];
  /** The wait for a change starts again. */
  clear(): void;
}

/** @param maxGapMs the longest time between two calls of `listen`; after a longer one this process, or the store, was paused, and the wait starts again */
export const createHeartbeats = (maxGapMs: number): Heartbeats => {
  let known = new Map<string, { readonly beat: string; readonly since: number }>();
  let listenedAt = performance.now();
  return {
    listen: (others) => {
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
    clear: () => known.clear(),
  };
};
