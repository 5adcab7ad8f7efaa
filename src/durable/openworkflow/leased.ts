import type { Backend } from 'openworkflow/internal';
import pLimit from 'p-limit';
import pRetry from 'p-retry';
import { holdLeases, type Leasing } from './held-leases.js';

/**
 * A backend whose leases are of our length: they are asked for and extended here, as long as this process goes on with a run.
 * OpenWorkflow's own last thirty seconds, which is how long a run would wait after its process was killed.
 *
 * A process that computes for longer than a lease finds its own runs free to be claimed, by itself first of all: two of it would be at one
 * run, and each would count as the death of the other. So it claims one run after another, and extends what it holds before.
 *
 * What a step gave is written for as long as it takes, where the file is locked or away: a tool that has finished would run again.
 */
export const leased = (backend: Backend, leasing: Leasing): Backend => {
  const { leaseMs } = leasing;
  const leases = holdLeases(leasing);
  const closing = new AbortController();
  const oneByOne = pLimit(1);
  let asked = 0;
  let answered = 0;
  const stopping =
    <P extends { workflowRunId: string }, R>(act: (params: P) => Promise<R>) =>
    (params: P): Promise<R> => {
      leases.drop(params.workflowRunId);
      return act.call(backend, params);
    };
  const own: Partial<Backend> = {
    claimWorkflowRun: ({ workerId }) => {
      const number = (asked += 1);
      return oneByOne(async () => {
        if (number <= answered) return null; // nothing was there when it had been asked for
        leases.catchUp();
        const run = await backend.claimWorkflowRun({ workerId, leaseDurationMs: leaseMs });
        if (run) leases.hold(run.id, workerId);
        else answered = asked;
        return run;
      });
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
      leases.stop();
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
