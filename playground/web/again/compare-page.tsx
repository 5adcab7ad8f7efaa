import { Link } from 'wouter';
import type { ComparedRow, RunComparison, RunSummary } from '../../protocol/runs.js';
import { useAgent, useCatalog } from '../api/catalog.js';
import { useGet } from '../api/use-loaded.js';
import { StatusBadge } from '../components/badge.js';
import { formatDuration, formatTime } from '../components/format.js';
import { InertText } from '../components/inert-text.js';
import { Loaded } from '../components/notices.js';
import { Panel } from '../components/panel.js';
import { WordDiff } from '../components/word-diff.js';
import { runHref } from '../shell/hrefs.js';
import { ComparedResponses, ComparedTable } from '../workbench/compare/compared-table.js';
import { hasCalls, outcomeOf, type Sides } from '../workbench/compare/order-rows.js';
import { crumbsOfRun, PageHead } from '../workbench/page-head.js';

/** Two recorded runs: by their words and by their verdicts. */
export const ComparePage = ({ runId = '', otherId = '' }: { readonly runId?: string; readonly otherId?: string }) => {
  const loaded = useGet<RunComparison>(`runs/${encodeURIComponent(runId)}/compare/${encodeURIComponent(otherId)}`);
  return (
    <div className="page">
      <PageHead crumbs={crumbsOfRun(runId)} title="Compare runs" />
      <Loaded loaded={loaded} noun="both runs">
        {(comparison) => <Comparison comparison={comparison} />}
      </Loaded>
    </div>
  );
};

/** Both runs by name: by their agents if these differ, by the guard that has no effect in the second, and by their times. */
const useSides = ({ before, after, rows }: RunComparison): Sides => {
  const { agents } = useCatalog();
  const nameOf = ({ agentId }: RunSummary): string =>
    before.agentId === after.agentId ? '' : `${agents.find(({ id }) => id === agentId)?.name ?? agentId}, `;
  const isShadow = (verdict: ComparedRow['before']): boolean => verdict?.verdict.startsWith('would') ?? false;
  const without = rows.find((row) => isShadow(row.after) && !isShadow(row.before))?.processorId;
  const change = without === undefined ? '' : `without ${without}, `;
  return {
    before: { title: `First: ${nameOf(before)}${formatTime(before.startedAt)}`, name: 'the first run' },
    after: { title: `Second: ${nameOf(after)}${change}${formatTime(after.startedAt)}`, name: 'the second run' },
  };
};

const Comparison = ({ comparison }: { readonly comparison: RunComparison }) => {
  const { before, after, answers, rows } = comparison;
  const sides = useSides(comparison);
  return (
    <div className="stack-l">
      <div className="columns">
        <RunCard title={sides.before.title} run={before} />
        <RunCard title={sides.after.title} run={after} />
      </div>
      <p className="outcome">{outcomeOf(comparison)}</p>
      <Panel title={hasCalls(rows) ? 'Verdicts and tool calls' : 'Verdicts'} isFlush>
        <ComparedTable rows={rows} sides={sides} />
      </Panel>
      {before.userText !== after.userText && (
        <Panel title="Input">
          <WordDiff before={before.userText} after={after.userText} />
        </Panel>
      )}
      <ComparedResponses before={answers.before} after={answers.after} note={`${before.status} → ${after.status}`} />
    </div>
  );
};

const RunCard = ({ title, run }: { readonly title: string; readonly run: RunSummary }) => {
  const agent = useAgent(run.agentId);
  const why = run.tripwire ? `${run.tripwire.processorId}: ${run.tripwire.reason}` : run.error?.message;
  return (
    <Panel title={title} note={<StatusBadge status={run.status} />}>
      <p>
        <Link href={runHref(run.runId)}>
          <InertText text={run.userText === '' ? run.runId : run.userText} />
        </Link>
      </p>
      {why !== undefined && (
        <p>
          <InertText text={why} />
        </p>
      )}
      <p className="faint">
        <InertText text={agent?.name ?? run.agentId} />, {formatTime(run.startedAt)}
        {run.durationMs !== undefined && `, ${formatDuration(run.durationMs)}`}
      </p>
    </Panel>
  );
};
