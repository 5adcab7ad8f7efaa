import type { Database } from './database.js';

interface TakeoverOptions {
  /** The name of this process among the others. */
  readonly processId: string;
  readonly leaseMs: number;
  /** Passes the runs of a dead process to live processes. */
  release(processId: string): Promise<void>;
}

/** Sends this process's heartbeat and checks those of the other processes. */
interface Takeover {
  /** Marks this process as gone. */
  leave(): Promise<void>;
}

/** The heartbeat value of a process that has left. */
const deletedId = '-1';

/** The last heartbeat of a process, and the time of its first reading. */
interface Heartbeat {
  readonly beat: string;
  readonly since: number;
}

/**
 * Sends a heartbeat four times per lease. A process whose heartbeat this one has seen unchanged for a whole lease is dead:
 * its runs pass to live processes. Clocks are never compared. If the database was away, the wait starts again.
 */
export const startTakeover = async (database: Database, { processId, leaseMs, release }: TakeoverOptions): Promise<Takeover> => {
  const { query } = database;
  let heartbeats = new Map<string, Heartbeat>();
  const beat = () =>
    query('INSERT INTO interlock.processes VALUES ($1, 0) ON CONFLICT (id) DO UPDATE SET beat = interlock.processes.beat + 1', [
      processId,
    ]);
  const listen = async (): Promise<string[]> => {
    const others = await query<Heartbeat & { id: string }>('SELECT id, beat FROM interlock.processes WHERE id <> $1', [
      processId,
    ]);
    const now = performance.now();
    heartbeats = new Map(
      others.map(({ id, beat: latest }) => {
        const known = heartbeats.get(id);
        return [id, known?.beat === latest ? known : { beat: latest, since: now }];
      }),
    );
    return [...heartbeats]
      .filter(([, { beat: latest, since }]) => latest === deletedId || now - since >= leaseMs)
      .map(([id]) => id);
  };
  let polledAt = performance.now();
  let isPolling = false;
  const poll = async (): Promise<void> => {
    await beat();
    if (performance.now() - polledAt > leaseMs / 2) heartbeats.clear(); // the database was away, or this process was not reading
    for (const dead of await listen()) await database.strikeOff(dead, () => release(dead));
    polledAt = performance.now();
  };
  await beat();
  const timer = setInterval(() => {
    if (isPolling) return;
    isPolling = true;
    void poll()
      .catch(() => undefined) // the next check does it
      .finally(() => (isPolling = false));
  }, leaseMs / 4);
  return {
    leave: async () => {
      clearInterval(timer);
      await query(`UPDATE interlock.processes SET beat = ${deletedId} WHERE id = $1`, [processId]);
    },
  };
};
