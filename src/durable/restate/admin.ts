import { InterlockError } from '../../errors.js';
import type { PersistedRun, PersistedRunFilter } from '../journal.js';
import type { RestateSettings } from './restate-options.js';

/** The runs of a program, through Restate's admin API. */
export type Admin = NonNullable<ReturnType<typeof adminOf>>;

/** The state of a run's workflow that stores its resource. */
export const resourceName = 'resource';

interface Invocation {
  readonly id: string;
  readonly run_id: string;
  readonly status: string;
  /** Whether it has started a step. */
  readonly has_steps: boolean;
  readonly completion_result?: string;
  readonly created_at: string;
  readonly completed_at?: string;
  readonly resource?: string;
}

/** Undefined if the engine has no address of the admin API. */
export const adminOf = ({ adminUrl, headers }: RestateSettings, service: string, signal: AbortSignal) => {
  if (!adminUrl) return undefined;
  const request = async (path: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(`${adminUrl.replace(/\/$/, '')}/${path}`, {
      ...init,
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
      signal,
    }).catch((cause: unknown) => unanswered(String(cause), cause));
    return response.ok ? response : unanswered(`${response.status} ${await response.text()}`);
  };
  const query = async <Row>(sql: string): Promise<readonly Row[]> => {
    const response = await request('query', { method: 'POST', body: JSON.stringify({ query: sql }) });
    return ((await response.json()) as { rows: readonly Row[] }).rows; // the shape of Restate's response
  };
  const journalOf = async (those: string) =>
    readJournal(await query<JournalRow>(`SELECT entry_json FROM sys_journal WHERE id IN (${those}) ORDER BY index`));
  return {
    list: async (filter: PersistedRunFilter) => (await query<Invocation>(listing(service, filter))).map(toPersistedRun),
    storedBytes: async (): Promise<number> => {
      const [row] = await query<{ bytes: number | null }>(
        `SELECT sum(length(encode(raw, 'hex'))) / 2 AS bytes FROM sys_journal WHERE id IN (${invocations(service)})`,
      );
      return row?.bytes ?? 0;
    },
    /** The stored journal of a run; undefined if there is none. */
    journal: (runId: string) => journalOf(invocationsOf(service, runId)),
    /** The journal of a run that Restate has given up, with the header that names its resource. */
    lostRun: (runId: string) =>
      journalOf(`${invocationsOf(service, runId)} AND status = 'completed' AND completion_result = 'failure'`),
    /** Ends the invocations of a run; returns whether there were any. */
    kill: async (runId: string): Promise<boolean> => {
      const running = await query<{ id: string }>(`${invocationsOf(service, runId)} AND status <> 'completed'`);
      for (const { id } of running) await request(`invocations/${encodeURIComponent(id)}/kill`, { method: 'PATCH' });
      return running.length > 0;
    },
    /** Whether an object has a state. No process needs to listen for it. */
    hasState: async (object: string, key: string): Promise<boolean> =>
      (await query(`SELECT key FROM state WHERE service_name = ${quoted(object)} AND service_key = ${quoted(key)}`)).length > 0,
    /** Deletes Restate's stored data of a run that has ended. */
    purge: async (runId: string): Promise<void> => {
      for (const { id } of await query<{ id: string }>(invocationsOf(service, runId)))
        await request(`invocations/${encodeURIComponent(id)}/purge`, { method: 'PATCH' });
    },
  };
};

const unanswered = (detail: string, cause?: unknown): never => {
  throw new InterlockError('durable/unreachable', { path: 'adminUrl', detail, cause });
};

/** Restate's SQL takes no parameters. */
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const invocations = (service: string): string =>
  `SELECT id FROM sys_invocation WHERE target_service_name = ${quoted(service)} AND target_handler_name = 'run'`;

const invocationsOf = (service: string, runId: string): string =>
  `${invocations(service)} AND target_service_key = ${quoted(runId)}`;

const listing = (service: string, { runId, resourceId, endedBefore, limit }: PersistedRunFilter): string => `
  SELECT i.id AS id, i.target_service_key AS run_id, i.status AS status, i.completion_result AS completion_result,
    steps.id IS NOT NULL AS has_steps,
    i.created_at AS created_at, i.completed_at AS completed_at, s.value_utf8 AS resource
  FROM sys_invocation i LEFT JOIN state s
    ON s.service_name = i.target_service_name AND s.service_key = i.target_service_key AND s.key = ${quoted(resourceName)}
  LEFT JOIN (
    SELECT DISTINCT id FROM sys_journal WHERE entry_type = 'Command: Run' AND id IN (${invocations(service)} AND status <> 'completed')
  ) steps ON steps.id = i.id
  WHERE i.target_service_name = ${quoted(service)} AND i.target_handler_name = 'run'
    ${runId === undefined ? '' : `AND i.target_service_key = ${quoted(runId)}`}
    ${resourceId === undefined ? '' : `AND s.value_utf8 = ${quoted(JSON.stringify(resourceId))}`}
    ${endedBefore ? `AND i.status = 'completed' AND i.completed_at < ${quoted(endedBefore.toISOString())}` : ''}
  ORDER BY i.created_at DESC ${limit === undefined ? '' : `LIMIT ${limit}`}`;

const toPersistedRun = ({ run_id, created_at, completed_at, resource, ...row }: Invocation): PersistedRun => ({
  runId: run_id,
  state: stateOf(row),
  resourceId: resource ? String(JSON.parse(resource)) : undefined, // as stored by the workflow
  startedAt: new Date(created_at),
  endedAt: completed_at ? new Date(completed_at) : undefined,
});

const stateOf = ({ status, completion_result, has_steps }: Pick<Invocation, 'status' | 'completion_result' | 'has_steps'>) => {
  if (status === 'completed') return completion_result === 'failure' ? 'lost' : 'ended';
  return has_steps ? 'running' : 'queued';
};

/** The header with the resource id of a run, set when the run starts. */
export const resourceHeader = 'x-interlock-resource';

/** A row of Restate's table `sys_journal`. */
interface JournalRow {
  readonly entry_json: string;
}

/** The parts that this library reads of an entry, as JSON. */
interface Entry {
  readonly Command?: {
    readonly Input?: { readonly headers: readonly { readonly name: string; readonly value: string }[]; readonly payload: Bytes };
    readonly Run?: { readonly completion_id: number; readonly name: string };
  };
  readonly Notification?: {
    readonly Completion?: { readonly Run?: { readonly completion_id: number; readonly result: { readonly Success?: Bytes } } };
  };
}

type Bytes = readonly number[];

/** The journal in its rows, in their order; undefined if it has no input. A step without a result is left out. */
export const readJournal = (rows: readonly JournalRow[]) => {
  const entries = rows.map(({ entry_json: json }) => JSON.parse(json) as Entry); // the shape that Restate's table has
  const [started] = entries.flatMap(({ Command }) => Command?.Input ?? []);
  if (!started) return undefined;
  const results = new Map(
    entries
      .flatMap(({ Notification }) => Notification?.Completion?.Run ?? [])
      .map(({ completion_id: id, result }) => [id, result.Success]),
  );
  const steps = entries.flatMap(({ Command }) => {
    const text = Command?.Run && results.get(Command.Run.completion_id);
    return Command?.Run && text ? [{ key: Command.Run.name, text: textOf(text) }] : [];
  });
  /** The value of the header that names the run's resource. */
  const resource = started.headers.find(({ name }) => name === resourceHeader)?.value;
  return { input: textOf(started.payload), steps, resource };
};

const textOf = (bytes: Bytes): string => new TextDecoder().decode(Uint8Array.from(bytes));
