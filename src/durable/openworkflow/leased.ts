import type { Backend } from 'openworkflow/internal';
import pRetry from 'p-retry';
import { InterlockError } from '../../errors.js';
import { createHeartbeats } from '../heartbeats.js';
import type { LeaseTable } from './lease-table.js';

/** A backend whose runs are claimed by our leases. */
export interface Leased {
  readonly backend: Backend;
  readonly leases: ActiveLeases;
  /** Retries a write for as long as the file is locked, full or away, so that a finished tool's result is not lost. */
  written<T>(write: () => T | Promise<T>): Promise<T>;
}

/**
 * Claims runs, and extends their leases while this process runs them. OpenWorkflow's own leases compare clocks and
 * last thirty seconds, so a run would wait that long after its process was killed. A process never claims a run that it
 * already runs.
 */
export const leased = (backend: Backend, leasing: Leasing): Leased => {
  const leases = holdLeases(leasing);
  const closing = new AbortController();
  const written = <T>(write: () => T | Promise<T>): Promise<T> =>
    pRetry(async () => write(), {
      retries: Infinity,
      minTimeout: 100,
      maxTimeout: 2_000,
      signal: closing.signal,
      shouldRetry: ({ error }) => isOfFile(error),
    });
  const stopping =
    <P extends { workflowRunId: string }, R>(act: (params: P) => Promise<R>) =>
    async (params: P): Promise<R> => {
      try {
        return await written(() => act.call(backend, params));
      } finally {
        leases.drop(params.workflowRunId);
      }
    };
  const own: Partial<Backend> = {
    claimWorkflowRun: async ({ workerId }) => {
      const workflowRunId = claimOn(leases, workerId);
      return workflowRunId === undefined ? null : backend.getWorkflowRun({ workflowRunId });
    },
    extendWorkflowRunLease: async ({ workflowRunId }) => {
      const run = await backend.getWorkflowRun({ workflowRunId });
      if (!run) throw new Error(`There is no run ${workflowRunId}.`);
      return run;
    },
    stop: () => {
      leases.stop();
      closing.abort();
      return backend.stop();
    },
    completeWorkflowRun: stopping(backend.completeWorkflowRun),
    failWorkflowRun: stopping(backend.failWorkflowRun),
    sleepWorkflowRun: stopping(backend.sleepWorkflowRun),
    rescheduleWorkflowRunAfterFailedStepAttempt: stopping(backend.rescheduleWorkflowRunAfterFailedStepAttempt),
  };
  const proxy = new Proxy(backend, {
    get: (target, name) => {
      const method: unknown = Reflect.get(own, name) ?? Reflect.get(target, name);
      return typeof method === 'function' ? method.bind(target) : method;
    },
  });
  return { backend: proxy, leases, written };
};

/** A file that cannot be written offers no runs. */
const claimOn = (leases: ActiveLeases, workerId: string): string | undefined => {
  try {
    return leases.claim(workerId);
  } catch (error) {
    if (isOfFile(error)) return undefined;
    throw error;
  }
};

/** Whether SQLite itself failed. OpenWorkflow reports that another worker has the run by now. */
export const isOfFile = (error: unknown): error is Error => (error as { code?: unknown }).code === 'ERR_SQLITE_ERROR';

/** SQLite's codes for a file with damaged pages, and for one that is no database. */
const damaged: ReadonlySet<unknown> = new Set([11, 26]);

/** An SQLite error of a file, with a code of this library. */
export const fileError = (path: string, cause: unknown): InterlockError => {
  const code = damaged.has((cause as { errcode?: unknown }).errcode) ? 'durable/damaged' : 'durable/unreachable';
  return new InterlockError(code, { path, detail: cause instanceof Error ? cause.message : undefined, cause });
};

interface Leasing {
  readonly leaseMs: number;
  readonly table: LeaseTable;
}

/** The leases of the runs in this process, which extends them all four times within their length. */
interface ActiveLeases {
  /** Claims a run that no live process runs; returns its id. */
  claim(workerId: string): string | undefined;
  drop(workflowRunId: string): void;
  /** The worker that runs a run here. */
  holderOf(workflowRunId: string): string | undefined;
  stop(): void;
}

const holdLeases = ({ leaseMs, table }: Leasing): ActiveLeases => {
  const leases = new Map<string, string>();
  const heartbeats = createHeartbeats(leaseMs / 2);
  let silent: ReadonlyMap<string, string> = new Map();
  const extendAll = (): void => {
    const still = table.extend(leases, leaseMs);
    // A lost lease belongs to another process by now: further results of this process are not stored.
    for (const id of leases.keys()) if (!still.has(id)) leases.delete(id);
  };
  const poll = (): void => {
    const others = table.claimed().filter(({ id }) => !leases.has(id));
    if (others.length > 0) table.probe(); // if the file cannot be written, live processes are silent too
    silent = new Map(heartbeats.listen(others).map(({ id, beat: latest }) => [id, latest]));
  };
  const beat = (): void => {
    try {
      extendAll();
      poll();
    } catch {
      heartbeats.clear(); // the file is locked, full or away
      silent = new Map();
    }
  };
  beat();
  const timer = setInterval(beat, leaseMs / 4);
  return {
    claim: (workerId) => {
      const id = table.claim({ workerId, leaseMs, leases: leases.keys(), silent });
      if (id !== undefined) leases.set(id, workerId);
      return id;
    },
    drop: (workflowRunId) => void leases.delete(workflowRunId),
    holderOf: (workflowRunId) => leases.get(workflowRunId),
    stop: () => clearInterval(timer),
  };
};
