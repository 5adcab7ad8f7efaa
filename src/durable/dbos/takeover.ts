import type { Database } from './database.js';

export interface TakeoverOptions {
  /** How this process is called among the others. */
  readonly processId: string;
  readonly leaseMs: number;
  /** Hands the runs of a dead process to those that live. */
  release(processId: string): Promise<void>;
}

/** A process that lives says so, and looks whether the others do. */
export interface Takeover {
  /** The process says that it is gone. */
  leave(): Promise<void>;
}

/** The heartbeat value of a process that has left. */
const gone = '-1';

/** What was last heard of a process, and when it was first heard. */
interface Heard {
  readonly beat: string;
  readonly since: number;
}

/**
 * Says four times a lease that this process lives. A process whose beat this one has seen unchanged for a whole lease is dead:
 * its runs are handed to those that live. Clocks are not compared, and a database that was away begins the wait anew.
 */
export const beginTakeover = async (database: Database, { processId, leaseMs, release }: TakeoverOptions): Promise<Takeover> => {
  const { query } = database;
  let heard = new Map<string, Heard>();
  const beat = () =>
    query('INSERT INTO interlock.processes VALUES ($1, 0) ON CONFLICT (id) DO UPDATE SET beat = interlock.processes.beat + 1', [
      processId,
    ]);
  const listen = async (): Promise<string[]> => {
    const others = await query<Heard & { id: string }>('SELECT id, beat FROM interlock.processes WHERE id <> $1', [processId]);
    const now = performance.now();
    heard = new Map(
      others.map(({ id, beat: latest }) => {
        const known = heard.get(id);
        return [id, known?.beat === latest ? known : { beat: latest, since: now }];
      }),
    );
    return [...heard].filter(([, { beat: latest, since }]) => latest === gone || now - since >= leaseMs).map(([id]) => id);
  };
  let lookedAt = performance.now();
  let isLooking = false;
  const look = async (): Promise<void> => {
    await beat();
    if (performance.now() - lookedAt > leaseMs / 2) heard.clear(); // the database was away, or this process was not reading
    for (const dead of await listen()) await database.strikeOff(dead, () => release(dead));
    lookedAt = performance.now();
  };
  await beat();
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look()
      .catch(() => undefined) // the next look does it
      .finally(() => (isLooking = false));
  }, leaseMs / 4);
  return {
    leave: async () => {
      clearInterval(timer);
      await query(`UPDATE interlock.processes SET beat = ${gone} WHERE id = $1`, [processId]);
    },
  };
};
