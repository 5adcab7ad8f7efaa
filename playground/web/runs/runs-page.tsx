import { Gauge, History, Rows3, X, Upload } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import './runs.css';
import { query as toQuery, post } from '../api/request.js';
import { useAction } from '../api/use-loaded.js';
import { runHref } from '../shell/hrefs.js';
import { Button, ButtonLink } from '../components/button.js';
import { EmptyState, ErrorNotice, Waiting } from '../components/notices.js';
import { InertText } from '../components/inert-text.js';
import { VirtualList } from '../components/virtual-list.js';
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

interface ListProps extends Runs {
  /** The run for a comparison with the chosen one; undefined if a row opens its run. */
  readonly compareWith: string | undefined;
}

const RunList = ({ runs: all, hasMore, loadMore, compareWith }: ListProps) => {
  const runs = useMemo(() => nestRuns(all), [all]);
  return (
    <VirtualList
      label="Runs"
      className="run-list"
      count={runs.length}
      size={40}
      isMeasured
      keyOf={(index) => runs[index]?.run.runId ?? index}
      onEnd={hasMore ? loadMore : undefined}
    >
      {(index) => {
        const nested = runs[index];
        return nested && <RunRow nested={nested} compareWith={compareWith} />;
      }}
    </VirtualList>
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
            <ButtonLink icon={Gauge} href={`/guards${toQuery({ ...filter })}`}>
              Guard statistics
            </ButtonLink>
            <ButtonLink icon={History} href={`/guard-replay${toQuery({ agent: filter.agent })}`}>
              Replay a guard
            </ButtonLink>
          </div>
        </div>
        {compareWith !== undefined && (
          <p className="cluster" role="status">
            Choose a run to compare with{' '}
            <Link href={runHref(compareWith)}>
              “<InertText text={list.runs.find(({ runId }) => runId === compareWith)?.userText ?? compareWith} />”
            </Link>
            .
            <Button icon={X} look="quiet" onClick={() => setQuery({ compareWith: undefined })}>
              Cancel
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
    navigate(runHref((await post<Pick<StartedRun, 'runId'>>('import', await file.text())).runId));
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
      <Button icon={Upload} look="plain" onClick={() => input.current?.click()}>
        Import run
      </Button>
      {taken.error && <ErrorNotice error={taken.error} />}
    </>
  );
};
