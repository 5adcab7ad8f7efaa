import { useVirtualizer } from '@tanstack/react-virtual';
import { Gauge, History, Rows3, X, Upload } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import './runs.css';
import { query as toQuery, postText } from '../api/request.js';
import { useAction } from '../api/use-action.js';
import { runHref } from '../shell/run-href.js';
import { Button } from '../components/button.js';
import { EmptyState } from '../components/empty-state.js';
import { ErrorNotice } from '../components/error-notice.js';
import { InertText } from '../components/inert-text.js';
import { Waiting } from '../components/waiting.js';
import { useQuery } from '../shell/use-query.js';
import { useTitle } from '../shell/use-title.js';
import { Decisions } from './decisions.js';
import { nestRuns } from './nest-runs.js';
import { readFilter } from './run-filter.js';
import { RunFilters } from './run-filters.js';
import { RunRow } from './run-row.js';
import { SavedFilters } from './saved-filters.js';
import { useRuns, type Runs } from './use-runs.js';
import type { StartedRun } from '../../protocol/runs.js';

/** The number of rows that are drawn outside of the view. */
const overscan = 12;
/** The distance from the end, in rows, at which older runs are requested. */
const nearEnd = 20;

interface ListProps extends Runs {
  /** The run for a comparison with the chosen one; undefined if a row opens its run. */
  readonly compareWith: string | undefined;
}

const RunList = ({ runs: all, hasMore, loadMore, compareWith }: ListProps) => {
  const runs = useMemo(() => nestRuns(all), [all]);
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: runs.length,
    getScrollElement: () => box.current,
    estimateSize: () => 40,
    getItemKey: (index) => runs[index]?.run.runId ?? index,
    overscan,
  });
  const items = rows.getVirtualItems();
  const isNearEnd = hasMore && (items.at(-1)?.index ?? 0) >= runs.length - nearEnd;
  useEffect(() => {
    if (isNearEnd) loadMore();
  }, [isNearEnd, loadMore]);
  return (
    <div ref={box} className="run-list">
      <ul className="virtual" style={{ height: rows.getTotalSize() }} aria-label="Runs">
        {items.map(({ key, index, start }) => {
          const run = runs[index];
          return run ? (
            <li
              key={key}
              ref={rows.measureElement}
              data-index={index}
              aria-setsize={runs.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start}px)` }}
            >
              <RunRow nested={run} compareWith={compareWith} />
            </li>
          ) : null;
        })}
      </ul>
    </div>
  );
};

const RunsBody = ({ isFiltered, ...list }: ListProps & { readonly isFiltered: boolean }) => {
  if (list.state === 'failed' && list.error && list.runs.length === 0)
    return <ErrorNotice error={list.error} onRetry={list.reload} />;
  if (list.state === 'loading') return <Waiting noun="runs" />;
  if (list.runs.length > 0) return <RunList {...list} />;
  if (isFiltered) return <EmptyState icon={Rows3} title="No runs match the filters" />;
  return (
    <EmptyState icon={Rows3} title="No runs yet">
      <Link href="/">Chat with an agent</Link> to record a run.
    </EmptyState>
  );
};

/** The stored runs, updated while they are under way. */
export const RunsPage = () => {
  useTitle('Runs');
  const [query, setQuery] = useQuery();
  const filter = useMemo(() => readFilter(query), [query]);
  const list = useRuns(filter);
  /** The run to compare with the next selected one. */
  const compareWith = query.get('compareWith') ?? undefined;
  return (
    <div className="runs">
      <header className="stack runs-head">
        <div className="spread">
          <h1>Runs</h1>
          <div className="cluster">
            <ImportRun />
            <Link className="button button-plain" href={`/guards${toQuery({ ...filter })}`}>
              <Gauge size={14} aria-hidden />
              Guard statistics
            </Link>
            <Link className="button button-plain" href={`/guard-replay${toQuery({ agent: filter.agent })}`}>
              <History size={14} aria-hidden />
              Replay a guard
            </Link>
          </div>
        </div>
        {compareWith !== undefined && (
          <p className="cluster" role="status">
            Choose a run to compare with{' '}
            <Link href={runHref(compareWith)}>
              “<InertText text={list.runs.find(({ runId }) => runId === compareWith)?.userText ?? compareWith} />”
            </Link>
            .
            <Button look="quiet" onClick={() => setQuery({ compareWith: undefined })}>
              <X size={14} aria-hidden /> Cancel
            </Button>
          </p>
        )}
        <RunFilters filter={filter} onChange={setQuery} />
        <SavedFilters filter={filter} />
        <Decisions />
      </header>
      <RunsBody {...list} compareWith={compareWith} isFiltered={Object.keys(filter).length > 0} />
    </div>
  );
};

/** Imports an exported run, or a trace, and opens it. */
const ImportRun = () => {
  const input = useRef<HTMLInputElement>(null);
  const [taken, act] = useAction<void>();
  const [, navigate] = useLocation();
  const take = async (file: File): Promise<void> =>
    navigate(runHref((await postText<Pick<StartedRun, 'runId'>>('import', await file.text())).runId));
  return (
    <>
      <input
        ref={input}
        hidden
        type="file"
        accept=".html,.jsonl"
        aria-label="Run file"
        onChange={({ target }) => [...(target.files ?? [])].forEach((file) => void act(() => take(file)))}
      />
      <Button look="plain" onClick={() => input.current?.click()}>
        <Upload size={14} aria-hidden /> Import run
      </Button>
      {taken.state === 'failed' && <ErrorNotice error={taken.error} />}
    </>
  );
};
