import { Gauge } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { Link } from 'wouter';
import type { GuardTotal, GuardTotals } from '../../protocol/runs.js';
import { get, query as toQuery } from '../api/request.js';
import { useLoaded } from '../api/use-loaded.js';
import { EmptyState, Loaded } from '../components/notices.js';
import { count, formatDuration } from '../components/format.js';
import { Panel } from '../components/panel.js';
import { verdictWords } from '../../fold/facts.js';
import { Aside, Table, type Column } from '../components/table.js';
import { readFilter, serverQuery, type RunFilter } from '../runs/run-filter.js';
import { RunFilters } from '../runs/run-filters.js';
import { useQuery } from '../shell/use-query.js';
import '../runs/runs.css';
import './again.css';
import { PageHead } from '../workbench/page-head.js';

const mostRuns = 200;

/** The results of each guard in recorded runs: its verdicts, and their durations. */
export const GuardsPage = () => {
  const [query, setQuery] = useQuery();
  const filter = useMemo(() => readFilter(query), [query]);
  const load = useCallback(
    (signal: AbortSignal) =>
      get<GuardTotals>(`guards${toQuery({ ...serverQuery(filter, Date.now()), limit: mostRuns })}`, signal),
    [filter],
  );
  return (
    <div className="page">
      <PageHead crumbs={[['Runs', `/runs${toQuery({ ...filter })}`]]} title="Guard statistics" />
      <RunFilters filter={filter} onChange={setQuery} />
      <Loaded loaded={useLoaded(load)} noun="runs">
        {(totals) => <Totals totals={totals} filter={filter} />}
      </Loaded>
    </div>
  );
};

/** A column of numbers; a count of 0 is faint. */
const counted = (title: string, numberOf: (total: GuardTotal) => number): Column<GuardTotal> => ({
  title,
  render: (total) => numberOf(total).toLocaleString(),
  className: (total) => (total && numberOf(total) === 0 ? 'faint' : ''),
});

const timed = (title: 'p50' | 'p95', hint: string): Column<GuardTotal> => ({
  title,
  hint: `${hint} of the time in one phase`,
  render: ({ [title]: ms }) => (ms === undefined ? '–' : formatDuration(ms)),
});

const verdicts = Object.entries(verdictWords) as [keyof GuardTotal['verdicts'], (typeof verdictWords)['pass']][]; // its own keys

const Totals = ({ totals, filter }: { readonly totals: GuardTotals; readonly filter: RunFilter }) =>
  totals.guards.length === 0 ? (
    <EmptyState icon={Gauge} title="No guard ran in these runs" />
  ) : (
    <Panel title="Verdicts and latency" note={count(totals.runs, 'run')} isFlush>
      <Table
        className="rows-flush rows-cards guard-totals"
        rows={totals.guards}
        columns={[
          { title: 'Guard', render: (total) => <GuardName total={total} filter={filter} /> },
          ...verdicts.map(([verdict, { word }]) => counted(word, (total) => total.verdicts[verdict])),
          counted('bypassed', ({ bypassed }) => bypassed),
          timed('p50', 'median'),
          timed('p95', '95th percentile'),
        ]}
      />
    </Panel>
  );

const GuardName = ({ total, filter }: { readonly total: GuardTotal; readonly filter: RunFilter }) => {
  const { guard, agentId, path, isShadow, stoppedRuns } = total;
  return (
    <>
      <Link href={`/runs${toQuery({ ...filter, guard })}`}>{guard}</Link>
      <Aside>
        {agentId}, <code>{path}</code>
      </Aside>
      {isShadow && <Aside>shadow guard: verdicts are only recorded</Aside>}
      {stoppedRuns > 0 && (
        <Aside>
          {isShadow ? 'would have blocked' : 'blocked'} {count(stoppedRuns, 'run')}
        </Aside>
      )}
    </>
  );
};
