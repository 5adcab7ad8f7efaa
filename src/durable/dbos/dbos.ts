import { AsyncLocalStorage } from 'node:async_hooks';
import { DBOS, Error as dbosErrors, type WorkflowStatus } from '@dbos-inc/dbos-sdk';
import { checkIntegration } from '../../integration.js';
import {
  unencrypted,
  type Board,
  type Engine,
  type Program,
  type ProgramRuns,
  type RunFound,
  type PersistedJournal,
  type PersistedRun,
  type PersistedRunFilter,
} from '../journal.js';
import { createSuspects } from '../ledger.js';
import { inTime, keepTrying, unreachableAt, together, type Trying } from '../calls.js';
import { rejectOption } from '../option-checks.js';
import { openDbosHost, queueRuns, leaveDbos, takeDbos, readDbosOptions, type DbosOptions, type DbosHost } from './dbos-host.js';
import { createRecover, createReturns } from './recover.js';
import { boardOn, storedSteps, type Checking } from './tables.js';
import { packText, unpackText } from '../packed.js';
import { isOutermost } from '../stored-steps.js';
import type { Database } from './database.js';

/**
 * Runs that survive their processes and machines, in a PostgreSQL database: DBOS stores them, and a live process takes over those
 * of one that died. Needs the packages `@dbos-inc/dbos-sdk` and `pg`. A process has one such engine, which launches DBOS.
 * Raises `durable/invalid-option`, `install/unsupported-version`.
 *
 * @example
 * const durability = dbos({ systemDatabaseUrl: 'postgresql://app:secret@127.0.0.1:5432/runs' });
 * const agent = new InterlockAgent({ name: 'support', model, tools, durability });
 */
export const dbos = (options: DbosOptions): Engine => {
  checkIntegration('@dbos-inc/dbos-sdk', 'pg');
  const settings = readDbosOptions(options);
  const { maxDeaths, patienceMs } = settings;
  const outside = AsyncLocalStorage.snapshot(); // calls to DBOS from within a run must not become steps of that run
  const closing = new AbortController();
  const programs = new Map<string, Program>();
  const underWay = new Set<Promise<unknown>>();
  const returns = createReturns((workflowId) => outside(() => queueRuns([workflowId])), closing.signal);
  let opening: Trying<DbosHost> | undefined;
  const open = () => outside(() => openDbosHost(settings));
  const openHost = () => (opening ??= keepTrying(open, 'systemDatabaseUrl', closing.signal));
  const site = (): Promise<DbosHost> => openHost().done;
  const [suspects, check] = [createSuspects(), createChecking()];
  const recover = createRecover({ programs, maxDeaths, suspects, closing: closing.signal, returns, check, site, underWay });
  const runWorkflow = takeDbos((...run) => outside(() => recover(...run)));
  const onHost: OnHost = (use) => outside(async () => use(await openHost().within(patienceMs)));
  return {
    name: 'dbos',
    isDurable: true,
    isFenced: true, // a process that lost the run's lease cannot write to it
    host: (program) => {
      if (programs.has(program.id)) rejectOption('durability', `two agents with the id "${program.id}" share an engine.`);
      programs.set(program.id, program);
      openHost();
      const onProgram: OnHost = (use) =>
        onHost(async (host) => {
          await check(host.database, program);
          return use(host);
        });
      const board = boardOf(program, onProgram, patienceMs);
      return { ...runsOf(program, runWorkflow, inPatience(onProgram, patienceMs)), board };
    },
    close: async () => {
      closing.abort(new Error('The engine is closing.'));
      await Promise.allSettled(underWay);
      const opened = await opening?.done.catch(() => undefined);
      await opened?.close();
      leaveDbos();
    },
  };
};

type RunWorkflow = ReturnType<typeof takeDbos>;
type OnHost = <T>(use: (at: DbosHost) => Promise<T>) => Promise<T>;

/** DBOS itself retries without a limit. */
const inPatience =
  (onHost: OnHost, patienceMs: number): OnHost =>
  (use) =>
    onHost((host) => inTime(use(host), patienceMs, () => unreachableAt('systemDatabaseUrl', undefined)));

const boardOf = ({ id }: Program, onHost: OnHost, patienceMs: number): Board =>
  boardOn({ query: (sql, values) => onHost(({ database }) => database.query(sql, values, patienceMs)) }, id);

const runsOf = ({ id: programId }: Program, runWorkflow: RunWorkflow, withHost: OnHost): Omit<ProgramRuns, 'board'> => {
  const idOf = (runId: string): string => `interlock:${encodeURIComponent(programId)}:${runId}`;
  const find = together(findAll); // one query for all readers
  return {
    start: ({ runId, input, resourceId }) =>
      withHost(async () => {
        try {
          await DBOS.startWorkflow(runWorkflow, {
            workflowID: idOf(runId),
            workflowIDReusePolicy: 'reject',
            workflowAttributes: resourceId === undefined ? {} : { resourceId },
          })(programId, runId, packText(input));
          return true;
        } catch (error) {
          if (dbosErrors.isWorkflowIDInUseError(error)) return false;
          throw error;
        }
      }),
    find: (runId) => withHost(() => find(idOf(runId))),
    cancel: (runId) => withHost(({ requestCancel }) => requestCancel(idOf(runId))),
    list: (filter) => withHost(({ database }) => listRuns(database, idOf, filter)),
    storedBytes: () => withHost(({ database }) => storedBytes(database)),
    abandon: (runId) => withHost((host) => abandon(host, idOf(runId))),
    journal: (runId) => withHost(({ database }) => journalOf(database, idOf(runId))),
    retry: (runId) => withHost(({ database }) => retryRun(database, idOf(runId))),
    drop: (runId) =>
      withHost(async ({ database }) => {
        await DBOS.deleteWorkflow(idOf(runId));
        await forget(database, idOf(runId));
      }),
  };
};

const findAll = async (workflowIDs: readonly string[]): Promise<RunFound[]> => {
  const found = await DBOS.listWorkflows({ workflowIDs: [...workflowIDs], loadInput: false });
  const byId = new Map(found.map((one) => [one.workflowID, one]));
  return workflowIDs.map((id) => foundIn(byId.get(id)));
};

const foundIn = (found: WorkflowStatus | undefined): RunFound => {
  if (!found) return { kind: 'absent' };
  switch (found.status) {
    case 'SUCCESS':
      return { kind: 'ended', output: unpackText(String(found.output), found.workflowID) }; // the program's result
    case 'ERROR':
      return { kind: 'lost', reason: found.error instanceof Error ? found.error.message : String(found.error) };
    case 'PENDING':
    case 'ENQUEUED':
    case 'DELAYED':
      return { kind: 'running' };
    case 'CANCELLED':
      return { kind: 'lost', reason: 'it was abandoned.' };
    default:
      return { kind: 'lost', reason: `DBOS has it as ${found.status}.` };
  }
};

const abandon = async ({ requestCancel }: DbosHost, workflowId: string): Promise<boolean> => {
  const [found] = await findAll([workflowId]);
  if (found?.kind !== 'running') return false;
  await DBOS.cancelWorkflow(workflowId);
  await requestCancel(workflowId); // work under way stops, and its result is not stored
  return true;
};

const journalOf = async (database: Database, workflowId: string): Promise<PersistedJournal | undefined> => {
  const [found, steps] = await Promise.all([DBOS.getWorkflowStatus(workflowId), storedSteps(database, workflowId)]);
  if (!found) return undefined;
  return { input: unpackText(String(found.input?.[2]), workflowId), steps: steps.filter(isOutermost) };
};

/** The runs of a program in DBOS, latest first. */
const listRuns = async (
  database: Database,
  idOf: (runId: string) => string,
  filter: PersistedRunFilter,
): Promise<readonly PersistedRun[]> => {
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
  const running = found.filter(({ status }) => status === 'PENDING').map(({ workflowID }) => workflowID);
  const started = new Set(running.length > 0 ? await startedAmong(database, running) : []);
  return found
    .map((status) => ({ workflowId: status.workflowID, run: toPersistedRun(status, prefix) }))
    .map(({ workflowId, run }) => (run.state === 'running' && !started.has(workflowId) ? { ...run, state: 'queued' } : run));
};

const toPersistedRun = (
  { workflowID, status, attributes, createdAt, completedAt }: WorkflowStatus,
  prefix: string,
): PersistedRun => ({
  runId: workflowID.slice(prefix.length),
  state: states[status] ?? 'lost',
  resourceId: attributes?.['resourceId'] as string | undefined, // as passed at the run's start
  startedAt: new Date(createdAt),
  endedAt: completedAt === undefined ? undefined : new Date(completedAt),
});

/** Run states by DBOS status. */
const states: Readonly<Record<string, PersistedRun['state']>> = {
  SUCCESS: 'ended',
  PENDING: 'running',
  ENQUEUED: 'queued',
  DELAYED: 'queued',
};

/** The disk space of the tables on the server. */
const storedBytes = async ({ query }: Pick<Database, 'query'>): Promise<number> => {
  const [row] = await query<{ bytes: string }>(
    `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::text AS bytes
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname IN ('dbos', 'interlock') AND c.relkind = 'r'`,
  );
  return Number(row?.bytes ?? 0);
};

/** DBOS resumes canceled runs, but no runs that ended with an error. So a run that was given up is first marked as canceled. */
const retryRun = async ({ query }: Pick<Database, 'query'>, workflowId: string): Promise<boolean> => {
  const found = await query(
    `UPDATE dbos.workflow_status SET status = 'CANCELLED', error = NULL, completed_at = NULL
     WHERE workflow_uuid = $1 AND status NOT IN ('SUCCESS', 'PENDING', 'ENQUEUED', 'DELAYED') RETURNING workflow_uuid`,
    [workflowId],
  );
  if (found.length === 0) return false;
  for (const table of ['lives', 'cancels']) await query(`DELETE FROM interlock.${table} WHERE run_id = $1`, [workflowId]);
  await queueRuns([workflowId]);
  return true;
};

/** The runs among these with a stored step. */
const startedAmong = async ({ query }: Pick<Database, 'query'>, workflowIds: readonly string[]): Promise<string[]> => {
  const found = await query<{ run_id: string }>(
    `SELECT run_id FROM unnest($1::text[]) AS wanted (run_id)
     WHERE EXISTS (SELECT 1 FROM interlock.steps WHERE steps.run_id = wanted.run_id)`,
    [workflowIds],
  );
  return found.map(({ run_id: runId }) => runId);
};

/** Checks each program once. */
const createChecking = (): Checking => {
  const checks = new Map<string, Promise<void>>();
  return (database, program) => {
    const check = checks.get(program.id) ?? checkEncryption(database, program);
    checks.set(program.id, check);
    check.catch(() => checks.delete(program.id));
    return check;
  };
};

const checkEncryption = async ({ query }: Pick<Database, 'query'>, program: Program): Promise<void> => {
  if (program.isEncrypted) await query('INSERT INTO interlock.encrypted VALUES ($1) ON CONFLICT DO NOTHING', [program.id]);
  else if ((await query('SELECT 1 FROM interlock.encrypted WHERE program = $1', [program.id])).length > 0)
    throw unencrypted(program);
};

/** Deletes the stored data of a run. */
const forget = async ({ query }: Pick<Database, 'query'>, runId: string): Promise<void> => {
  for (const table of ['steps', 'lives', 'cancels']) await query(`DELETE FROM interlock.${table} WHERE run_id = $1`, [runId]);
};
