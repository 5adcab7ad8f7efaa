import type { ExtendLeases } from './extend-leases.js';

export interface Leasing {
  readonly leaseMs: number;
  readonly extend: ExtendLeases;
}

/** The leases of the runs that go on in this process, which extends them all four times within their length. */
export interface HeldLeases {
  hold(workflowRunId: string, workerId: string): void;
  drop(workflowRunId: string): void;
  /** Extends them now, where this process was too slow to do so in time. */
  catchUp(): void;
  stop(): void;
}

export const holdLeases = ({ leaseMs, extend }: Leasing): HeldLeases => {
  const held = new Map<string, string>();
  let extendedAt = Date.now();
  const extendAll = (): void => {
    try {
      const still = extend(held, leaseMs);
      // A lease that is lost is another's by now: what this process still does with the run is not kept.
      for (const id of held.keys()) if (!still.has(id)) held.delete(id);
      extendedAt = Date.now();
    } catch {
      // The file is locked or away: the next beat does it.
    }
  };
  const beat = setInterval(extendAll, leaseMs / 4);
  return {
    hold: (workflowRunId, workerId) => void held.set(workflowRunId, workerId),
    drop: (workflowRunId) => void held.delete(workflowRunId),
    catchUp: () => {
      if (Date.now() - extendedAt >= leaseMs / 2) extendAll();
    },
    stop: () => clearInterval(beat),
  };
};
