import { DBOS, type WorkflowStatus } from '@dbos-inc/dbos-sdk';
import type { KeptRun, KeptRunFilter } from '../journal.js';
import type { Database } from './database.js';
import { queueRuns } from './dbos-host.js';

/** The runs of a program in DBOS, the last one first. */
export const listRuns = async (idOf: (runId: string) => string, filter: KeptRunFilter): Promise<readonly KeptRun[]> => {
  const { runId, resourceId, endedBefore, limit } = filter;
  const prefix = idOf('');
  const found = await DBOS.listWorkflows({
    ...(runId === undefined ? { workflow_id_prefix: prefix } : { workflowIDs: [idOf(runId)] }),
    ...(resourceId !== undefined && { attributes: { resourceId } }),
    ...(endedBefore && { completedBefore: endedBefore.toISOString() }),
    ...(limit !== undefined && { limit }),
    sortDesc: true,
    loadInput: false,
    loadOutput: false,
  });
  return found.map((status) => toKept(status, prefix));
};

const toKept = ({ workflowID, status, attributes, createdAt, completedAt }: WorkflowStatus, prefix: string): KeptRun => ({
  runId: workflowID.slice(prefix.length),
  state: states[status] ?? 'lost',
  resourceId: attributes?.['resourceId'] as string | undefined, // as it was begun with
  startedAt: new Date(createdAt),
  endedAt: completedAt === undefined ? undefined : new Date(completedAt),
});

/** By DBOS's statuses. */
const states: Readonly<Record<string, KeptRun['state']>> = {
  SUCCESS: 'ended',
  PENDING: 'running',
  ENQUEUED: 'queued',
  DELAYED: 'queued',
};

/** What the tables take on the disk of the server. */
export const storedBytes = async ({ query }: Pick<Database, 'query'>): Promise<number> => {
  const [row] = await query<{ bytes: string }>(
    `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::text AS bytes
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname IN ('dbos', 'interlock') AND c.relkind = 'r'`,
  );
  return Number(row?.bytes ?? 0);
};

/** DBOS resumes a run that was canceled, and none that has ended with an error: so a run that was given up is made one of these. */
export const retryRun = async ({ query }: Pick<Database, 'query'>, workflowId: string): Promise<boolean> => {
  const found = await query(
    `UPDATE dbos.workflow_status SET status = 'CANCELLED', error = NULL, completed_at = NULL
     WHERE workflow_uuid = $1 AND status NOT IN ('SUCCESS', 'PENDING', 'ENQUEUED', 'DELAYED') RETURNING workflow_uuid`,
    [workflowId],
  );
  if (found.length === 0) return false;
  await query('DELETE FROM interlock.lives WHERE run_id = $1', [workflowId]);
  await queueRuns([workflowId]);
  return true;
};
