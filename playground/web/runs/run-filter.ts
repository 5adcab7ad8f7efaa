import { runSorts, type RunSort, type RunSummary } from '../../protocol/runs.js';

/** The time ranges of a list, in minutes, by their names in the address. */
export const periods = { '15m': 15, '1h': 60, '24h': 1_440, '7d': 10_080 } as const;

type Period = keyof typeof periods;

/** The filter and order of runs, by their names in the page's address. */
export interface RunFilter {
  readonly status?: string;
  readonly guard?: string;
  readonly agent?: string;
  readonly text?: string;
  readonly thread?: string;
  readonly within?: Period;
  readonly sort?: RunSort;
}

export const filterNames = [
  'status',
  'guard',
  'agent',
  'text',
  'thread',
  'within',
  'sort',
] as const satisfies readonly (keyof RunFilter)[];

/** Reads a filter from an address. */
export const readFilter = (query: URLSearchParams): RunFilter =>
  Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = query.get(name);
      return value && (known[name]?.includes(value) ?? true) ? [[name, value]] : [];
    }),
  );

const known: Readonly<Partial<Record<keyof RunFilter, readonly string[]>>> = { within: Object.keys(periods), sort: runSorts };

/** A filter in the form of the server's API; a period starts so long before `now`, in epoch milliseconds. */
export const serverQuery = ({ within, ...filter }: RunFilter, now: number) => ({
  ...filter,
  since: within && now - periods[within] * 60_000,
});

/** The sort key of a run; unknown values come last. */
const keyOf = ({ startedAt, durationMs, tokens }: RunSummary, { sort = 'time' }: RunFilter): number =>
  ({ time: startedAt, duration: durationMs, tokens })[sort] ?? -1;

const has = (text: string, wanted: string): boolean => text.toLowerCase().includes(wanted.toLowerCase());

/** Whether a changed run belongs to the list, by the server's rules. */
export const matches = (run: RunSummary, { status, guard, agent, text, thread }: RunFilter): boolean =>
  (status === undefined || run.status === status) &&
  (agent === undefined || run.agentId === agent) &&
  (thread === undefined || run.threadId === thread) &&
  (guard === undefined || run.guards.includes(guard)) &&
  (text === undefined || has(run.userText, text) || has(run.answered, text));

/** A sorted list with a new or changed run. */
export const withRun = (runs: readonly RunSummary[], run: RunSummary, filter: RunFilter): readonly RunSummary[] => {
  const index = runs.findIndex(({ runId }) => runId === run.runId);
  if (!matches(run, filter)) return index === -1 ? runs : runs.toSpliced(index, 1);
  if (index !== -1 && keyOf(runs[index] ?? run, filter) === keyOf(run, filter)) return runs.with(index, run);
  const others = index === -1 ? runs : runs.toSpliced(index, 1);
  const place = others.findIndex((other) => keyOf(other, filter) <= keyOf(run, filter));
  return others.toSpliced(place === -1 ? others.length : place, 0, run);
};
