import { useCallback, useEffect, useState } from 'react';
import type { RunPage, RunSummary } from '../../protocol/runs.js';
import { listenTo } from '../api/listen.js';
import { get, query } from '../api/request.js';
import { withRun, type RunFilter } from './run-filter.js';

/** A list of runs that keeps up with the server. */
export interface Runs {
  readonly runs: readonly RunSummary[];
  readonly state: 'loading' | 'loaded' | 'failed';
  readonly error: Error | undefined;
  readonly hasMore: boolean;
  /** Loads older ones. */
  readonly loadMore: () => void;
  readonly reload: () => void;
}

interface Known {
  readonly runs: readonly RunSummary[];
  readonly next: string | undefined;
  readonly state: Runs['state'];
  readonly error: Error | undefined;
}

const pageSize = 100;
const tryAgainMs = 2000;
const nothing: Known = { runs: [], next: undefined, state: 'loading', error: undefined };

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** Told of each run that is new or has changed, also after the server was away; `onBack` when it is there again. */
const useChanges = (onRun: (run: RunSummary) => void, onBack: () => void): void => {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stop: () => void;
    const listen = (isBack: boolean): void => {
      stop = listenTo<RunSummary>('live', {
        onOpen: () => isBack && onBack(),
        onValue: onRun,
        onEnd: () => undefined,
        onLost: () => {
          timer = setTimeout(() => listen(true), tryAgainMs);
        },
      });
    };
    listen(false);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [onRun, onBack]);
};

/** @param filter the same object while it asks for the same */
export const useRuns = (filter: RunFilter): Runs => {
  const [known, setKnown] = useState(nothing);
  const load = useCallback(
    (before: string | undefined) => {
      get<RunPage>(`runs${query({ ...filter, before, limit: pageSize })}`)
        .then(({ runs, next }) =>
          setKnown((now) => ({
            runs: before === undefined ? runs : [...now.runs, ...runs],
            next,
            state: 'loaded',
            error: undefined,
          })),
        )
        .catch((thrown: unknown) => setKnown((now) => ({ ...now, state: 'failed', error: asError(thrown) })));
    },
    [filter],
  );
  const reload = useCallback(() => load(undefined), [load]);
  useEffect(reload, [reload]);
  const onRun = useCallback((run: RunSummary) => setKnown((now) => ({ ...now, runs: withRun(now.runs, run, filter) })), [filter]);
  useChanges(onRun, reload);
  const { next } = known;
  const loadMore = useCallback(() => next !== undefined && load(next), [load, next]);
  return { ...known, hasMore: next !== undefined, loadMore, reload };
};
