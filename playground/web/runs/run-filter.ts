import type { RunSummary } from '../../protocol/runs.js';

/** Which runs are wanted; the names are those of the server's query and of the page's address. */
export interface RunFilter {
  readonly status?: string;
  readonly guard?: string;
  readonly agent?: string;
  readonly text?: string;
  readonly thread?: string;
}

export const filterNames = ['status', 'guard', 'agent', 'text', 'thread'] as const satisfies readonly (keyof RunFilter)[];

/** Reads a filter off an address. */
export const readFilter = (query: URLSearchParams): RunFilter =>
  Object.fromEntries(filterNames.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : [])));

const has = (text: string, wanted: string): boolean => text.toLowerCase().includes(wanted.toLowerCase());

/** Whether a run that has just changed belongs to the list, as the server would say. */
export const matches = (run: RunSummary, { status, guard, agent, text, thread }: RunFilter): boolean =>
  (status === undefined || run.status === status) &&
  (agent === undefined || run.agentId === agent) &&
  (thread === undefined || run.threadId === thread) &&
  (guard === undefined || run.guards.includes(guard)) &&
  (text === undefined || has(run.said, text) || has(run.answered, text));

/** A list, newest first, after a run is new or has changed. */
export const withRun = (runs: readonly RunSummary[], run: RunSummary, filter: RunFilter): readonly RunSummary[] => {
  const index = runs.findIndex(({ runId }) => runId === run.runId);
  if (!matches(run, filter)) return index === -1 ? runs : runs.toSpliced(index, 1);
  if (index !== -1) return runs.with(index, run);
  const place = runs.findIndex(({ startedAt }) => startedAt <= run.startedAt);
  return runs.toSpliced(place === -1 ? runs.length : place, 0, run);
};
