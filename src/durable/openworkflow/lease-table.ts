import type { DatabaseSync } from 'node:sqlite';
import type { BackendSqlite } from 'openworkflow/sqlite';
import type { Heartbeat } from '../heartbeats.js';

/** The runs of a program in OpenWorkflow's table, as their leases. */
export interface LeaseTable {
  /** Extends the leases of runs, each by the worker that holds it; returns the ids of those that it still holds. */
  extend(leases: ReadonlyMap<string, string>, leaseMs: number): ReadonlySet<string>;
  /** The runs that a process has claimed. */
  claimed(): readonly Heartbeat[];
  /** Claims a run that is free, or one of `silent` whose beat is unchanged; never one of `leases`. Returns its id. */
  claim(claim: Claim): string | undefined;
  /** Raises if the file cannot be written. */
  probe(): void;
}

interface Claim {
  readonly workerId: string;
  readonly leaseMs: number;
  /** The runs under way in this process. */
  readonly leases: Iterable<string>;
  /** Runs of dead processes, with their beats. */
  readonly silent: ReadonlyMap<string, string>;
}

/** OpenWorkflow's own database is private, and there is no other access to it. */
export const databaseOf = (backend: BackendSqlite): DatabaseSync => (backend as unknown as { db: DatabaseSync }).db;

/** A pause before a retry is shorter than this. A run that becomes free only later was stored by a clock that was ahead. */
const longestPauseMs = 60_000;

/** A time later than the stored one, whatever the clock reads, so that each extension is visible. */
const later = `max(?, strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(updated_at, '1970-01-01'), '+0.001 seconds'))`;
const until = `strftime('%Y-%m-%dT%H:%M:%fZ', ${later}, ?)`;
const seconds = (leaseMs: number): string => `+${leaseMs / 1_000} seconds`;
const beat = `worker_id || ' ' || updated_at`;

/**
 * Times in the table matter only for waiting runs. A claimed run belongs to its process for as long as its beat
 * changes: clocks jump, and those of two processes are never compared.
 */
export const leaseTable = (backend: BackendSqlite, namespaceId: string): LeaseTable => {
  const db = databaseOf(backend);
  const extend = db.prepare(`
    UPDATE workflow_runs SET available_at = ${until}, updated_at = ${later}
    WHERE namespace_id = ? AND status = 'running' AND (id, worker_id) IN (SELECT key, value FROM json_each(?))
    RETURNING id`);
  const claimed = db.prepare(`
    SELECT id, ${beat} AS beat, available_at AS until, updated_at AS since FROM workflow_runs
    WHERE namespace_id = ? AND status = 'running'`);
  const claim = db.prepare(`
    UPDATE workflow_runs SET status = 'running', attempts = attempts + 1, worker_id = ?, available_at = ${until},
      started_at = coalesce(started_at, ?), updated_at = ${later}
    WHERE id = (
      SELECT id FROM workflow_runs
      WHERE namespace_id = ? AND id NOT IN (SELECT value FROM json_each(?)) AND (
        (status IN ('pending', 'sleeping') AND (available_at <= ? OR available_at > ?))
        OR (status = 'running' AND (id, ${beat}) IN (SELECT key, value FROM json_each(?))))
      ORDER BY CASE status WHEN 'pending' THEN 0 ELSE 1 END,
        coalesce((SELECT priority FROM interlock_runs WHERE workflow_run_id = workflow_runs.id), 0) DESC, available_at, created_at
      LIMIT 1)
    RETURNING id`);
  const probe = db.prepare('UPDATE interlock_probe SET looks = looks + 1');
  const isoAfter = (ms: number): string => new Date(Date.now() + ms).toISOString();
  return {
    extend: (leases, leaseMs) => {
      const [now, pairs] = [isoAfter(0), JSON.stringify(Object.fromEntries(leases))];
      const rows = extend.all(now, seconds(leaseMs), now, namespaceId, pairs);
      return new Set(rows.map(({ id }) => String(id)));
    },
    claimed: () =>
      claimed.all(namespaceId).map((row) => ({
        id: String(row['id']),
        beat: String(row['beat']),
        leaseMs: Date.parse(String(row['until'])) - Date.parse(String(row['since'])),
      })),
    claim: ({ workerId, leaseMs, leases, silent }) => {
      const now = isoAfter(0);
      const [mine, dead] = [JSON.stringify([...leases]), JSON.stringify(Object.fromEntries(silent))];
      const row = claim.get(workerId, now, seconds(leaseMs), now, now, namespaceId, mine, now, isoAfter(longestPauseMs), dead);
      return row && String(row['id']);
    },
    probe: () => void probe.run(),
  };
};
