import { useCallback } from 'react';
import { Link } from 'wouter';
import type { ComparedRow, RunComparison, RunSummary } from '../../protocol/runs.js';
import { useCatalog } from '../api/catalog.js';
import { get } from '../api/request.js';
import { useLoaded } from '../api/use-loaded.js';
import { runHref } from '../shell/run-href.js';
import { StatusBadge } from '../components/badge.js';
import { ErrorNotice } from '../components/error-notice.js';
import { formatDuration, formatTime } from '../components/format.js';
import { InertText } from '../components/inert-text.js';
import { Panel } from '../components/panel.js';
import { Waiting } from '../components/waiting.js';
import { WordDiff } from '../components/word-diff.js';
import { useTitle } from '../shell/use-title.js';
import { ComparedTable } from '../workbench/compare/compared-table.js';
import { hasCalls, outcomeOf, type Sides } from '../workbench/compare/order-rows.js';
import '../workbench/compare/compare.css';
import './again.css';
import { crumbsOfRun, PageHead } from '../workbench/page-head.js';

/** Two recorded runs: by their words and by their verdicts. */
export const ComparePage = ({ runId = '', otherId = '' }: { readonly runId?: string; readonly otherId?: string }) => {
  useTitle('Compare runs');
  const path = `runs/${encodeURIComponent(runId)}/compare/${encodeURIComponent(otherId)}`;
  const loaded = useLoaded(useCallback((signal) => get<RunComparison>(path, signal), [path]));
  return (
    <div className="page">
      <PageHead crumbs={crumbsOfRun(runId)} title="Compare runs" />
      {loaded.state === 'failed' && <ErrorNotice error={loaded.error} onRetry={loaded.reload} />}
      {loaded.state === 'loading' && <Waiting noun="both runs" />}
      {loaded.state === 'loaded' && <Comparison comparison={loaded.value} />}
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
      <Panel title="Response" note={`${before.status} → ${after.status}`}>
        {answers.before === '' && answers.after === '' ? (
          <p className="faint">Neither run has a response.</p>
        ) : (
          <WordDiff before={answers.before} after={answers.after} />
        )}
      </Panel>
    </div>
  );
};

const RunCard = ({ title, run }: { readonly title: string; readonly run: RunSummary }) => {
  const agent = useCatalog().agents.find(({ id }) => id === run.agentId);
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
