import type { LeaseTable } from './lease-table.js';

export interface Leasing {
  readonly leaseMs: number;
  readonly table: LeaseTable;
}

/** The leases of the runs that go on in this process, which extends them all four times within their length. */
export interface HeldLeases {
  /** Claims a run that no living process goes on with; returns its id. */
  claim(workerId: string): string | undefined;
  drop(workflowRunId: string): void;
  /** The worker that goes on with a run here. */
  holderOf(workflowRunId: string): string | undefined;
  stop(): void;
}

/** Since when a claimed run was seen at one beat, by a clock that nobody sets. */
interface Seen {
  readonly beat: string;
  readonly since: number;
}

export const holdLeases = ({ leaseMs, table }: Leasing): HeldLeases => {
  const held = new Map<string, string>();
  let seen = new Map<string, Seen>();
  let silent = new Map<string, string>();
  let lookedAt = performance.now();
  const extendAll = (): void => {
    const still = table.extend(held, leaseMs);
    // A lease that is lost is another's by now: what this process still does with the run is not kept.
    for (const id of held.keys()) if (!still.has(id)) held.delete(id);
  };
  const look = (): void => {
    const others = table.claimed().filter(({ id }) => !held.has(id));
    if (others.length > 0) table.probe(); // a file that cannot be written silences processes that live
    const now = performance.now();
    if (now - lookedAt > leaseMs / 2) seen.clear(); // this process did not look, so the others may not have lived on either
    lookedAt = now;
    const isSilent = (lease: { id: string; leaseMs: number }): boolean =>
      now - (seen.get(lease.id)?.since ?? now) >= lease.leaseMs;
    seen = new Map(
      others.map(({ id, beat }) => {
        const known = seen.get(id);
        return [id, known?.beat === beat ? known : { beat, since: now }];
      }),
    );
    silent = new Map(others.filter(isSilent).map(({ id, beat }) => [id, beat]));
  };
  const beat = (): void => {
    try {
      extendAll();
      look();
    } catch {
      seen.clear(); // the file is locked, full or away: the wait begins anew
      silent.clear();
    }
  };
  beat();
  const timer = setInterval(beat, leaseMs / 4);
  return {
    claim: (workerId) => {
      const id = table.claim({ workerId, leaseMs, held: held.keys(), silent });
      if (id !== undefined) held.set(id, workerId);
      return id;
    },
    drop: (workflowRunId) => void held.delete(workflowRunId),
    holderOf: (workflowRunId) => held.get(workflowRunId),
    stop: () => clearInterval(timer),
  };
};
