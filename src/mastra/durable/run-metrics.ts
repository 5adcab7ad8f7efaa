import type { DurableContext } from './run-subscription.js';
import { listKept } from './run-operations.js';
import type { RunQueue } from './run-queue.js';

/** What becomes of an agent's durable runs: of all its processes, as far as the engine can list its runs. */
export interface RunMetrics {
  /** Runs that wait for their turn, in this process or in the engine. */
  readonly queued: number;
  /** Runs that have their turn. */
  readonly running: number;
  /** Runs that wait for a person, or for other code. */
  readonly waiting: number;
  /** Segments of runs that this process has gone on with after another one, or an earlier try, had left them. */
  readonly recovered: number;
  /** Runs that the engine has given up. */
  readonly lost: number;
  /** How long ago the oldest run began that has not ended and does not wait for a person; 0 where there is none. */
  readonly oldestAgeMs: number;
  /** Bytes that the engine's storage takes, all agents together. Absent where it cannot tell. */
  readonly journalBytes?: number;
}

/** What a process counts of its runs. */
export interface RunCounts {
  recovered: number;
}

export const metricsOf = async (keeping: DurableContext, queue: RunQueue, { recovered }: RunCounts): Promise<RunMetrics> => {
  const { runs } = keeping;
  const listed = await listKept(keeping, { limit: Infinity });
  const count = (...wanted: readonly string[]): number => listed.filter(({ status }) => wanted.includes(status)).length;
  const begun = count('queued', 'running');
  const started = listed.flatMap(({ status, startedAt }) =>
    startedAt && (status === 'queued' || status === 'running') ? [startedAt.getTime()] : [],
  );
  const inEngine = count('queued');
  const journalBytes = await runs.storedBytes?.();
  return {
    queued: inEngine + queue.queued,
    running: runs.list ? Math.max(begun - inEngine - queue.queued, 0) : queue.running,
    waiting: count('suspended', 'needs-decision'),
    recovered,
    lost: count('lost'),
    oldestAgeMs: started.length > 0 ? Math.max(Date.now() - Math.min(...started), 0) : 0,
    ...(journalBytes !== undefined && { journalBytes }),
  };
};
