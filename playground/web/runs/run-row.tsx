import { Link } from 'wouter';
import type { GuardSignal, RunSummary } from '../../protocol/runs.js';
import { useCatalog } from '../api/catalog.js';
import { compareHref } from '../again/compare-href.js';
import { runHref } from '../shell/run-href.js';
import { Badge, StatusBadge } from '../components/badge.js';
import { count, formatDuration, formatTime } from '../components/format.js';
import { InertText } from '../components/inert-text.js';
import { signalOf } from '../components/signal.js';

/** The outcome of the run, in a sentence. */
const outcomeOf = ({ tripwire, error, answered }: RunSummary): string =>
  tripwire ? `${tripwire.processorId}: ${tripwire.reason}` : (error?.message ?? answered);

const mostChips = 3;

/** Runs of older versions have no verdicts. */
const signalsOf = ({ signals, guards }: RunSummary): readonly GuardSignal[] =>
  signals ?? guards.map((guard) => ({ guard, verdict: '' }));

interface SignalChipProps {
  readonly guard: string;
  readonly verdict: string;
  readonly isShadow: boolean;
}

/** A guard and its verdict; its color goes with an icon and a word. */
const SignalChip = ({ guard, verdict, isShadow }: SignalChipProps) => {
  if (verdict === '') return <Badge>{guard}</Badge>;
  const { tone, icon, label } = signalOf(verdict);
  const verdictLabel = isShadow ? `would ${label}` : label;
  return (
    <Badge tone={tone} icon={icon} isDashed={isShadow} title={`${guard}: ${verdictLabel}`}>
      {guard}
      <span className="unseen">: {verdictLabel}</span>
    </Badge>
  );
};

interface RunRowProps {
  readonly run: RunSummary;
  /** The run to compare with this one. */
  readonly compareWith?: string | undefined;
}

/** A run of the list: a link to it, or to its comparison with another one. */
export const RunRow = ({ run, compareWith }: RunRowProps) => {
  const { agents } = useCatalog();
  const agent = agents.find(({ id }) => id === run.agentId);
  return (
    <Link className="run-row" href={compareWith === undefined ? runHref(run.runId) : compareHref(compareWith, run.runId)}>
      <span className="run-row-status">
        <StatusBadge status={run.status} />
      </span>
      <span className="run-row-words">
        <span className="run-row-text">
          <InertText text={run.userText} />
        </span>
        <span className="run-row-outcome">
          <InertText text={outcomeOf(run)} />
        </span>
      </span>
      <span className="run-row-guards">
        {signalsOf(run)
          .slice(0, mostChips)
          .map(({ guard, verdict, isShadow }) => (
            <SignalChip key={guard} guard={guard} verdict={verdict} isShadow={isShadow === true} />
          ))}
        {run.guards.length > mostChips && <Badge>+{run.guards.length - mostChips}</Badge>}
      </span>
      <span className="run-row-cost">
        <span>{run.durationMs === undefined ? '–' : formatDuration(run.durationMs)}</span>
        {run.tokens !== undefined && <span className="run-row-tokens">{count(run.tokens, 'token')}</span>}
      </span>
      <span className="run-row-facts">
        <span className="run-row-agent">
          <InertText text={agent?.name ?? run.agentId} />
        </span>
        {run.retries > 0 && <span>{count(run.retries, 'retry', 'retries')}</span>}
        <time dateTime={new Date(run.startedAt).toISOString()}>{formatTime(run.startedAt)}</time>
      </span>
    </Link>
  );
};
