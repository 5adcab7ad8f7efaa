import type { Backend } from 'openworkflow/internal';
import pRetry from 'p-retry';
import type { DatabaseSync } from 'node:sqlite';
import type { BackendSqlite } from 'openworkflow/sqlite';

import { InterlockError } from '../../errors.js';
import { createHeartbeats } from '../watches.js';
import type { Awaitable } from '../../phase/awaitable.js';
import { fieldsIn } from '../../phase/plain-data.js';

/** The runs of a program in OpenWorkflow's table, as their leases. */
type LeaseTable = ReturnType<typeof leaseTable>;

interface Claim {
  readonly workerId: string;
  readonly leaseMs: number;
  /** The runs under way in this process. */
  readonly leases: Iterable<string>;
  /** Runs of dead processes, with their beats. */
  readonly silent: ReadonlyMap<string, string>;
}

/** OpenWorkflow's own database is private, and there is no other access to it. */
export const databaseOf = (backend: BackendSqlite): DatabaseSync => fieldsIn(backend)['db'] as DatabaseSync;

/** A pause before a retry is shorter than this. A run that becomes free only later was stored by a clock that was ahead. */
const longestPauseMs = 60_000;

/** A time later than the stored one, whatever the clock reads, so that each extension is visible. */
const later = `max(?, strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(updated_at, '1970-01-01'), '+0.001 seconds'))`;
const until = `strftime('%Y-%m-%dT%H:%M:%fZ', ${later}, ?)`;
const seconds = (leaseMs: number): string => `+${leaseMs / 1_000} seconds`;
const beatColumns = `worker_id || ' ' || updated_at`;

/**
 * Times in the table matter only for waiting runs. A claimed run belongs to its process for as long as its beat
 * changes: clocks jump, and those of two processes are never compared.
 */
export const leaseTable = (backend: BackendSqlite, namespaceId: string) => {
  const db = databaseOf(backend);
  const extend = db.prepare(`
    UPDATE workflow_runs SET available_at = ${until}, updated_at = ${later}
    WHERE namespace_id = ? AND status = 'running' AND (id, worker_id) IN (SELECT key, value FROM json_each(?))
    RETURNING id`);
  const claimed = db.prepare(`
    SELECT id, ${beatColumns} AS beat, available_at AS until, updated_at AS since FROM workflow_runs
    WHERE namespace_id = ? AND status = 'running'`);
  const claim = db.prepare(`
    UPDATE workflow_runs SET status = 'running', attempts = attempts + 1, worker_id = ?, available_at = ${until},
      started_at = coalesce(started_at, ?), updated_at = ${later}
    WHERE id = (
      SELECT id FROM workflow_runs
      WHERE namespace_id = ? AND id NOT IN (SELECT value FROM json_each(?)) AND (
        (status IN ('pending', 'sleeping') AND (available_at <= ? OR available_at > ?))
        OR (status = 'running' AND (id, ${beatColumns}) IN (SELECT key, value FROM json_each(?))))
      ORDER BY CASE status WHEN 'pending' THEN 0 ELSE 1 END,
        coalesce((SELECT priority FROM interlock_runs WHERE workflow_run_id = workflow_runs.id), 0) DESC, available_at, created_at
      LIMIT 1)
    RETURNING id`);
  const probe = db.prepare('UPDATE interlock_probe SET looks = looks + 1');
  const isoAfter = (ms: number): string => new Date(Date.now() + ms).toISOString();
  return {
    /** Extends the leases of runs, each by the worker that holds it; returns the ids of those that it still holds. */
    extend: (leases: ReadonlyMap<string, string>, leaseMs: number): ReadonlySet<string> => {
      const [now, pairs] = [isoAfter(0), JSON.stringify(Object.fromEntries(leases))];
      const rows = extend.all(now, seconds(leaseMs), now, namespaceId, pairs);
      return new Set(rows.map(({ id }) => String(id)));
    },
    /** The runs that a process has claimed. */
    claimed: () =>
      claimed.all(namespaceId).map((row) => ({
        id: String(row['id']),
        beat: String(row['beat']),
        leaseMs: Date.parse(String(row['until'])) - Date.parse(String(row['since'])),
      })),
    /** Claims a run that is free, or one of `silent` whose beat is unchanged; never one of `leases`. Returns its id. */
    claim: ({ workerId, leaseMs, leases, silent }: Claim): string | undefined => {
      const now = isoAfter(0);
      const [mine, dead] = [JSON.stringify([...leases]), JSON.stringify(Object.fromEntries(silent))];
      const row = claim.get(workerId, now, seconds(leaseMs), now, now, namespaceId, mine, now, isoAfter(longestPauseMs), dead);
      return row && String(row['id']);
    },
    /** Raises if the file cannot be written. */
    probe: () => void probe.run(),
  };
};

/**
 * Claims runs, and extends their leases while this process runs them. OpenWorkflow's own leases compare clocks and
 * last thirty seconds, so a run would wait that long after its process was killed. A process never claims a run that it
 * already runs.
 */
export const leased = (backend: Backend, leaseMs: number, table: LeaseTable) => {
  const leases = holdLeases(leaseMs, table);
  const closing = new AbortController();
  /** Retries a write for as long as the file is locked, full or away, so that a finished tool's result is not lost. */
  const written = async <T>(write: () => Awaitable<T>): Promise<T> => {
    try {
      closing.signal.throwIfAborted();
      return await write();
    } catch (error) {
      if (!isOfFile(error)) throw error;
    }
    return pRetry(async () => write(), {
      retries: Infinity,
      minTimeout: 100,
      maxTimeout: 2_000,
      signal: closing.signal,
      shouldRetry: ({ error }) => isOfFile(error),
    });
  };
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
export const isOfFile = (error: unknown): error is Error => fieldsIn(error)['code'] === 'ERR_SQLITE_ERROR';

/** SQLite's codes for a file with damaged pages, and for one that is no database. */
const damaged: ReadonlySet<unknown> = new Set([11, 26]);

/** An SQLite error of a file, with a code of this library. */
export const fileError = (path: string, cause: unknown): InterlockError => {
  const code = damaged.has(fieldsIn(cause)['errcode']) ? 'durable/damaged' : 'durable/unreachable';
  return new InterlockError(code, { path, detail: cause instanceof Error ? cause.message : undefined, cause });
};

/** The leases of the runs in this process, which extends them all four times within their length. */
type ActiveLeases = ReturnType<typeof holdLeases>;

const holdLeases = (leaseMs: number, table: LeaseTable) => {
  const leases = new Map<string, string>();
  const heartbeats = createHeartbeats(leaseMs / 2);
  let silent: ReadonlyMap<string, string> = new Map();
  let isEmpty = false;
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
    /** Claims a run that no live process runs; returns its id. */
    claim: (workerId: string) => {
      if (isEmpty) return undefined;
      const id = table.claim({ workerId, leaseMs, leases: leases.keys(), silent });
      if (id !== undefined) leases.set(id, workerId);
      else {
        isEmpty = true; // the worker claims for each of its free places, without a pause in between
        queueMicrotask(() => (isEmpty = false));
      }
      return id;
    },
    drop: (workflowRunId: string) => void leases.delete(workflowRunId),
    /** The worker that runs a run here. */
    holderOf: (workflowRunId: string) => leases.get(workflowRunId),
    stop: () => clearInterval(timer),
  };
};
