import { useCallback, useEffect, useState } from 'react';
import type { RunPage, RunSummary } from '../../protocol/runs.js';
import { live } from '../api/live.js';
import { get, query } from '../api/request.js';
import { asError } from '../api/use-loaded.js';
import { serverQuery, withRun, type RunFilter } from './run-filter.js';

/** A list of runs that follows the server's changes. */
export interface Runs {
  readonly runs: readonly RunSummary[];
  readonly state: 'loading' | 'loaded' | 'failed';
  readonly error: Error | undefined;
  readonly hasMore: boolean;
  /** Loads older runs. */
  readonly loadMore: () => void;
  readonly reload: () => void;
}

type Known = Pick<Runs, 'runs' | 'state' | 'error'> & { readonly next: string | undefined };

const pageSize = 100;
const nothing: Known = { runs: [], next: undefined, state: 'loading', error: undefined };

/** @param filter the same object for the same filter */
export const useRuns = (filter: RunFilter): Runs => {
  const [known, setKnown] = useState(nothing);
  const load = useCallback(
    (before: string | undefined) => {
      get<RunPage>(`runs${query({ ...serverQuery(filter, Date.now()), before, limit: pageSize })}`)
        .then(({ runs, next }) => {
          const earlier = (now: Known) => (before === undefined ? [] : now.runs);
          const merge = (now: Known) => [...new Map([...earlier(now), ...runs].map((run) => [run.runId, run])).values()];
          return setKnown((now) => ({ runs: merge(now), next, state: 'loaded', error: undefined }));
        })
        .catch((thrown: unknown) => setKnown((now) => ({ ...now, state: 'failed', error: asError(thrown) })));
    },
    [filter],
  );
  const reload = useCallback(() => load(undefined), [load]);
  useEffect(reload, [reload]);
  useEffect(
    () =>
      live.listen((news) => {
        if (news.kind === 'run') setKnown((now) => ({ ...now, runs: withRun(now.runs, news.run, filter) }));
        if (news.kind === 'open') reload();
      }),
    [filter, reload],
  );
  const { next } = known;
  const loadMore = useCallback(() => next !== undefined && load(next), [load, next]);
  return { ...known, hasMore: next !== undefined, loadMore, reload };
};
