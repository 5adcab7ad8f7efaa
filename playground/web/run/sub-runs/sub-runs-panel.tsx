import { Link } from 'wouter';
import type { RunSummary } from '../../../protocol/runs.js';
import { useCatalog } from '../../api/catalog.js';
import { runHref } from '../../shell/run-href.js';
import { StatusBadge } from '../../components/badge.js';
import { count, formatDuration } from '../../components/format.js';
import { InertText } from '../../components/inert-text.js';
import { Panel } from '../../components/panel.js';
import { useSubRuns } from './use-sub-runs.js';
import './sub-runs.css';

const outcomeOf = ({ tripwire, error, answered }: RunSummary): string =>
  tripwire ? `Refused by ${tripwire.processorId}: ${tripwire.reason}` : (error?.message ?? answered);

const SubRun = ({ run }: { readonly run: RunSummary }) => {
  const { agents } = useCatalog();
  const own = useSubRuns(run.runId);
  return (
    <li>
      <Link className="sub-run" href={runHref(run.runId)}>
        <StatusBadge status={run.status} />
        <strong>
          <InertText text={agents.find(({ id }) => id === run.agentId)?.name ?? run.agentId} />
        </strong>
        {run.durationMs !== undefined && <span className="sub-run-time">{formatDuration(run.durationMs)}</span>}
        <span className="sub-run-words">
          <InertText text={outcomeOf(run)} />
        </span>
      </Link>
      <SubRunList runs={own} />
    </li>
  );
};

const SubRunList = ({ runs }: { readonly runs: readonly RunSummary[] }) =>
  runs.length > 0 && (
    <ol className="sub-runs">
      {runs.map((run) => (
        <SubRun key={run.runId} run={run} />
      ))}
    </ol>
  );

/** The runs of sub-agents that a run asked, each with those that it asked itself. */
export const SubRunsPanel = ({ runId }: { readonly runId: string }) => {
  const runs = useSubRuns(runId);
  return (
    runs.length > 0 && (
      <Panel title="Sub-agents" note={count(runs.length, 'run')}>
        <SubRunList runs={runs} />
      </Panel>
    )
  );
};
