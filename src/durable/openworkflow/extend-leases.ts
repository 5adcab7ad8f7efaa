import type { BackendSqlite } from 'openworkflow/sqlite';

/** Extends the leases of some runs, each told with the worker that holds it; gives the ids of those that it still holds. */
export type ExtendLeases = (held: ReadonlyMap<string, string>, leaseMs: number) => ReadonlySet<string>;

/** What is used of a database; OpenWorkflow's own is private, and there is no other way to it. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): { all(...values: string[]): { id: string }[] };
}

export const databaseOf = (backend: BackendSqlite): Database => (backend as unknown as { db: Database }).db;

/** OpenWorkflow would extend each by itself: with many runs a process would do little else, and be too late for some. */
export const leaseExtender = (backend: BackendSqlite, namespaceId: string): ExtendLeases => {
  const extend = databaseOf(backend).prepare(`
    UPDATE workflow_runs SET available_at = ?, updated_at = ?
    WHERE namespace_id = ? AND status = 'running' AND (id, worker_id) IN (SELECT key, value FROM json_each(?))
    RETURNING id`);
  return (held, leaseMs) => {
    const now = Date.now();
    const times = [new Date(now + leaseMs), new Date(now)].map((date) => date.toISOString());
    const rows = extend.all(...times, namespaceId, JSON.stringify(Object.fromEntries(held)));
    return new Set(rows.map(({ id }) => id));
  };
};
