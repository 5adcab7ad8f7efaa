import { Link } from 'wouter';
import './sub-runs.css';
import { useCallback, useEffect } from 'react';
import type { RunSummary, RunPage } from '../../../protocol/runs.js';
import { useCatalog } from '../../api/catalog.js';
import { runHref } from '../../shell/run-href.js';
import { StatusBadge } from '../../components/badge.js';
import { count, formatDuration } from '../../components/format.js';
import { InertText } from '../../components/inert-text.js';
import { Panel } from '../../components/panel.js';
import { subRunsPath } from '../../../protocol/run-file.js';
import { live } from '../../api/live.js';
import { get } from '../../api/request.js';
import { useLoaded } from '../../api/use-loaded.js';

const outcomeOf = ({ tripwire, error, answered }: RunSummary): string =>
  tripwire ? `Blocked by ${tripwire.processorId}: ${tripwire.reason}` : (error?.message ?? answered);

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

/** The runs of a run's sub-agents, each with its own. */
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

const none: readonly RunSummary[] = [];

/** The runs started by a run's tools, in the order of their start; updated while they are under way. */
const useSubRuns = (runId: string): readonly RunSummary[] => {
  const { reload, ...loaded } = useLoaded(
    useCallback(async (signal) => (await get<RunPage>(subRunsPath(runId), signal)).runs.toReversed(), [runId]),
  );
  useEffect(
    () =>
      live.listen((news) => {
        if (news.kind === 'run' && news.run.parent?.runId === runId) reload();
      }),
    [runId, reload],
  );
  return loaded.state === 'loaded' ? loaded.value : none;
};
