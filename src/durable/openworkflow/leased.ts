import type { Backend } from 'openworkflow/internal';
import pRetry from 'p-retry';
import { holdLeases, type HeldLeases, type Leasing } from './held-leases.js';

/** A backend whose runs are claimed by our leases. */
export interface Leased {
  readonly backend: Backend;
  readonly leases: HeldLeases;
  /** Writes something for as long as the file is locked, full or away: what a finished tool gave is not lost. */
  written<T>(write: () => T | Promise<T>): Promise<T>;
}

/**
 * Runs are claimed and extended here, as long as this process goes on with them: OpenWorkflow's own leases compare clocks, and last thirty
 * seconds, which is how long a run would wait after its process was killed. A process never claims a run that it has in hand.
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

/** A file that cannot be written has no run to offer. */
const claimOn = (leases: HeldLeases, workerId: string): string | undefined => {
  try {
    return leases.claim(workerId);
  } catch (error) {
    if (isOfFile(error)) return undefined;
    throw error;
  }
};

/** Whether SQLite itself could not; that another worker has the run by now is OpenWorkflow's to say. */
export const isOfFile = (error: unknown): error is Error => (error as { code?: unknown }).code === 'ERR_SQLITE_ERROR';
