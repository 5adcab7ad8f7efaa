import { createHeartbeats } from '../heartbeats.js';
import type { Database } from './database.js';
import { workflowName } from './dbos-singleton.js';

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

/**
 * Sends a heartbeat four times per lease. A process whose heartbeat this one has seen unchanged for a whole lease is dead:
 * its runs pass to live processes. Clocks are never compared. If the database was away, the wait starts again.
 */
export const startTakeover = async (database: Database, { processId, leaseMs, release }: TakeoverOptions): Promise<Takeover> => {
  const { query } = database;
  const heartbeats = createHeartbeats(leaseMs / 2);
  const beat = () =>
    query('INSERT INTO interlock.processes VALUES ($1, 0) ON CONFLICT (id) DO UPDATE SET beat = interlock.processes.beat + 1', [
      processId,
    ]);
  // A process may die before its first heartbeat, or after a pause in which it was removed.
  const addMissing = () =>
    query(
      `INSERT INTO interlock.processes SELECT DISTINCT executor_id, 0 FROM dbos.workflow_status
       WHERE status = 'PENDING' AND name = $1 AND executor_id IS NOT NULL ON CONFLICT DO NOTHING`,
      [workflowName],
    );
  const deadProcesses = async (): Promise<string[]> => {
    const others = await query<{ id: string; beat: string }>('SELECT id, beat FROM interlock.processes WHERE id <> $1', [
      processId,
    ]);
    const silent = new Set(heartbeats.listen(others.map((other) => ({ ...other, leaseMs }))).map(({ id }) => id));
    return others.filter(({ id, beat: latest }) => latest === deletedId || silent.has(id)).map(({ id }) => id);
  };
  let isPolling = false;
  const poll = async (): Promise<void> => {
    await beat();
    await addMissing();
    for (const dead of await deadProcesses()) await database.strikeOff(dead, () => release(dead));
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
