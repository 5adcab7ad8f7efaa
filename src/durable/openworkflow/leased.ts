import type { Backend } from 'openworkflow/internal';
import pRetry from 'p-retry';

/**
 * A backend whose leases are of our length: they are asked for and extended here, as long as this process goes on with a run.
 * OpenWorkflow's own last thirty seconds, which is how long a run would wait after its process was killed.
 *
 * What a step gave is written for as long as it takes, where the file is locked or away: a tool that has finished would run again.
 */
export const leased = (backend: Backend, leaseMs: number): Backend => {
  const beats = new Map<string, NodeJS.Timeout>();
  const closing = new AbortController();
  const stop = (workflowRunId: string): void => {
    clearInterval(beats.get(workflowRunId));
    beats.delete(workflowRunId);
  };
  const stopping =
    <P extends { workflowRunId: string }, R>(act: (params: P) => Promise<R>) =>
    (params: P): Promise<R> => {
      stop(params.workflowRunId);
      return act.call(backend, params);
    };
  const own: Partial<Backend> = {
    claimWorkflowRun: async ({ workerId }) => {
      const run = await backend.claimWorkflowRun({ workerId, leaseDurationMs: leaseMs });
      if (!run) return run;
      const extend = () => backend.extendWorkflowRunLease({ workflowRunId: run.id, workerId, leaseDurationMs: leaseMs });
      // A lease that is lost is another's by now: what this process still does with the run is not kept.
      beats.set(
        run.id,
        setInterval(() => void extend().catch(() => stop(run.id)), leaseMs / 4),
      );
      return run;
    },
    extendWorkflowRunLease: async ({ workflowRunId }) => {
      const run = await backend.getWorkflowRun({ workflowRunId });
      if (!run) throw new Error(`There is no run ${workflowRunId}.`);
      return run;
    },
    completeStepAttempt: (params) =>
      pRetry(() => backend.completeStepAttempt(params), {
        retries: Infinity,
        minTimeout: 100,
        maxTimeout: 2_000,
        signal: closing.signal,
        shouldRetry: ({ error }) => isOfFile(error),
      }),
    stop: () => {
      closing.abort();
      return backend.stop();
    },
    completeWorkflowRun: stopping(backend.completeWorkflowRun),
    failWorkflowRun: stopping(backend.failWorkflowRun),
    sleepWorkflowRun: stopping(backend.sleepWorkflowRun),
    rescheduleWorkflowRunAfterFailedStepAttempt: stopping(backend.rescheduleWorkflowRunAfterFailedStepAttempt),
  };
  return new Proxy(backend, {
    get: (target, name) => {
      const method: unknown = Reflect.get(own, name) ?? Reflect.get(target, name);
      return typeof method === 'function' ? method.bind(target) : method;
    },
  });
};

/** Whether SQLite itself could not; that another worker has the run by now is OpenWorkflow's to say. */
const isOfFile = (error: Error): boolean => (error as { code?: unknown }).code === 'ERR_SQLITE_ERROR';
