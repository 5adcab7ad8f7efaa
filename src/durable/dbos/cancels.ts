import type { Database } from './database.js';

/** Tells the runs that go on here that they are to be canceled, whichever process was asked. */
export interface Cancels {
  /** Aborted once somebody asks for the run to be canceled. */
  watch(runId: string): AbortSignal;
  leave(runId: string): void;
  request(runId: string): Promise<void>;
  stop(): void;
}

/** How often it is looked whether somebody wants a run to be canceled. */
const lookMs = 250;

export const watchCancels = ({ query }: Database): Cancels => {
  const watched = new Map<string, AbortController>();
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking || watched.size === 0) return;
    isLooking = true;
    try {
      const found = await query<{ run_id: string }>('SELECT run_id FROM interlock.cancels WHERE run_id = ANY($1)', [
        [...watched.keys()],
      ]);
      for (const { run_id: runId } of found) watched.get(runId)?.abort();
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look().catch(() => undefined), lookMs);
  timer.unref();
  return {
    watch: (runId) => {
      const controller = new AbortController();
      watched.set(runId, controller);
      return controller.signal;
    },
    leave: (runId) => void watched.delete(runId),
    request: async (runId) => {
      await query('INSERT INTO interlock.cancels VALUES ($1) ON CONFLICT DO NOTHING', [runId]);
      watched.get(runId)?.abort();
    },
    stop: () => clearInterval(timer),
  };
};
