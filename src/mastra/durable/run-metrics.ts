import type { DurableContext } from './run-subscription.js';
import { listRuns } from './run-operations.js';
import type { RunQueue } from './run-queue.js';

/** Metrics of an agent's durable runs, across all its processes, as far as the engine can list its runs. */
export interface RunMetrics {
  /** Runs that wait in a queue, in this process or in the engine. */
  readonly queued: number;
  /** Runs that are active. */
  readonly running: number;
  /** Runs that wait for a person, or for other code. */
  readonly waiting: number;
  /** Run segments that this process continued after another process, or an earlier attempt, had stopped. */
  readonly recovered: number;
  /** Runs that the engine has given up. */
  readonly lost: number;
  /** The age of the oldest run that has not ended and does not wait for a person; 0 without such a run. */
  readonly oldestAgeMs: number;
  /** The size of the engine's storage in bytes, for all agents together. Undefined if the engine cannot measure it. */
  readonly journalBytes?: number;
}

/** Counters of a process. */
export interface RunCounts {
  recovered: number;
}

export const metricsOf = async (context: DurableContext, queue: RunQueue, { recovered }: RunCounts): Promise<RunMetrics> => {
  const { runs } = context;
  const listed = await listRuns(context, { limit: Infinity });
  const count = (...wanted: readonly string[]): number => listed.filter(({ status }) => wanted.includes(status)).length;
  const startedRuns = count('queued', 'running');
  const started = listed.flatMap(({ status, startedAt }) =>
    startedAt && (status === 'queued' || status === 'running') ? [startedAt.getTime()] : [],
  );
  const inEngine = count('queued');
  const journalBytes = await runs.storedBytes?.();
  return {
    queued: inEngine + queue.queued,
    running: runs.list ? Math.max(startedRuns - inEngine - queue.queued, 0) : queue.running,
    waiting: count('suspended', 'needs-decision'),
    recovered,
    lost: count('lost'),
    oldestAgeMs: started.length > 0 ? Math.max(Date.now() - Math.min(...started), 0) : 0,
    ...(journalBytes !== undefined && { journalBytes }),
  };
};
