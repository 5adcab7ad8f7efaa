import { Gauge } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { Link } from 'wouter';
import type { GuardTotal, GuardTotals } from '../../protocol/runs.js';
import { get, query as toQuery } from '../api/request.js';
import { useLoaded } from '../api/use-loaded.js';
import { EmptyState } from '../components/empty-state.js';
import { ErrorNotice } from '../components/error-notice.js';
import { count, formatDuration } from '../components/format.js';
import { Panel } from '../components/panel.js';
import { verdictSignals } from '../components/signal.js';
import { Waiting } from '../components/waiting.js';
import { readFilter, serverQuery, type RunFilter } from '../runs/run-filter.js';
import { RunFilters } from '../runs/run-filters.js';
import { useQuery } from '../shell/use-query.js';
import { useTitle } from '../shell/use-title.js';
import '../runs/runs.css';
import './again.css';
import { PageHead } from '../workbench/page-head.js';

const mostRuns = 200;

/** The results of each guard in recorded runs: its verdicts, and their durations. */
export const GuardsPage = () => {
  useTitle('Guard statistics');
  const [query, setQuery] = useQuery();
  const filter = useMemo(() => readFilter(query), [query]);
  const load = useCallback(
    (signal: AbortSignal) =>
      get<GuardTotals>(`guards${toQuery({ ...serverQuery(filter, Date.now()), limit: mostRuns })}`, signal),
    [filter],
  );
  const loaded = useLoaded(load);
  return (
    <div className="page">
      <PageHead crumbs={[['Runs', `/runs${toQuery({ ...filter })}`]]} title="Guard statistics" />
      <RunFilters filter={filter} onChange={setQuery} />
      {loaded.state === 'failed' && <ErrorNotice error={loaded.error} onRetry={loaded.reload} />}
      {loaded.state === 'loading' && <Waiting noun="runs" />}
      {loaded.state === 'loaded' && <Totals totals={loaded.value} filter={filter} />}
    </div>
  );
};

const verdicts = Object.entries(verdictSignals) as [keyof GuardTotal['verdicts'], (typeof verdictSignals)['pass']][]; // its own keys

const Totals = ({ totals, filter }: { readonly totals: GuardTotals; readonly filter: RunFilter }) =>
  totals.guards.length === 0 ? (
    <EmptyState icon={Gauge} title="No guard ran in these runs" />
  ) : (
    <Panel title="Verdicts and latency" note={count(totals.runs, 'run')} isFlush>
      <table className="rows small rows-flush rows-cards guard-totals">
        <thead>
          <tr>
            <th scope="col">Guard</th>
            {verdicts.map(([verdict, { label }]) => (
              <th key={verdict} scope="col">
                {label}
              </th>
            ))}
            <th scope="col">bypassed</th>
            <th scope="col" title="median of the time in one phase">
              p50
            </th>
            <th scope="col" title="95th percentile of the time in one phase">
              p95
            </th>
          </tr>
        </thead>
        <tbody>
          {totals.guards.map((total) => (
            <tr key={`${total.agentId} ${total.path} ${total.isShadow}`}>
              <th scope="row">
                <Link href={`/runs${toQuery({ ...filter, guard: total.guard })}`}>{total.guard}</Link>
                <span className="row-reason soft tiny">
                  {total.agentId}, <code>{total.path}</code>
                </span>
                {total.isShadow && <span className="row-reason soft tiny">shadow guard: verdicts are only recorded</span>}
                {total.stoppedRuns > 0 && (
                  <span className="row-reason soft tiny">
                    {total.isShadow ? 'would have blocked' : 'blocked'} {count(total.stoppedRuns, 'run')}
                  </span>
                )}
              </th>
              {verdicts.map(([verdict, { label }]) => (
                <td key={verdict} data-title={label} className={total.verdicts[verdict] === 0 ? 'faint' : ''}>
                  {total.verdicts[verdict].toLocaleString()}
                </td>
              ))}
              <td data-title="bypassed" className={total.bypassed === 0 ? 'faint' : ''}>
                {total.bypassed.toLocaleString()}
              </td>
              <td data-title="p50">{total.p50 === undefined ? '–' : formatDuration(total.p50)}</td>
              <td data-title="p95">{total.p95 === undefined ? '–' : formatDuration(total.p95)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
