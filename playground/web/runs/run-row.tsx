import { Link } from 'wouter';
import type { GuardSignal } from '../../protocol/runs.js';
import { statusWords, toolWords } from '../../fold/facts.js';
import type { NestedRun } from './nest-runs.js';
import { useAgent } from '../api/catalog.js';
import { compareHref, runHref } from '../shell/hrefs.js';
import { Badge, StatusBadge, WordBadge } from '../components/badge.js';
import { count, formatAgo, formatDuration, formatTime } from '../components/format.js';
import { InertText } from '../components/inert-text.js';
import { signalOf } from '../components/signal.js';

/** The outcome of the run, in a sentence; of a supervisor also that of a sub-agent that did not succeed. */
const outcomeOf = ({ run: { status, tripwire, error, answered, signals }, inside }: NestedRun): string => {
  const sub = inside.find((one) => statusWords[one.run.status].isFact);
  const of = sub ? `Sub-agent ${sub.run.agentId}: ${outcomeOf(sub)}` : undefined;
  if (status === 'suspended' && !tripwire)
    return `Waits for approval of ${signals?.find(({ verdict }) => verdict === toolWords.suspended.word)?.guard ?? 'a tool'}`;
  const own = tripwire ? `Blocked by ${tripwire.processorId}: ${tripwire.reason}` : error?.message;
  return own ?? [of, answered].filter(Boolean).join(' · ');
};

const mostChips = 3;

/** Its own signals, then those of its sub-runs. Runs of older versions have no verdicts. */
const signalsOf = ({ run: { signals, guards }, inside }: NestedRun): readonly GuardSignal[] => [
  ...(signals ?? guards.map((guard) => ({ guard, verdict: '' }))),
  ...inside.flatMap((sub) => signalsOf(sub).map((signal) => ({ ...signal, guard: `${sub.run.agentId} › ${signal.guard}` }))),
];

/** A guard or a call with its effect; its color goes with an icon and a word. */
const SignalChip = ({ guard, verdict, word, tone, isShadow }: GuardSignal) => {
  if (verdict === '') return <Badge>{guard}</Badge>;
  const signal = signalOf(verdict);
  const label = word ?? signal.word;
  return (
    <WordBadge tone={tone ?? signal.tone} word={label} isDashed={isShadow === true} title={`${guard}: ${label}`}>
      {guard}
      <span className="unseen">: {label}</span>
    </WordBadge>
  );
};

interface RunRowProps {
  readonly nested: NestedRun;
  /** The run to compare with this one. */
  readonly compareWith?: string | undefined;
}

/** A run of the list: a link to it, or to its comparison with another one. */
export const RunRow = ({ nested, compareWith }: RunRowProps) => {
  const { run, depth } = nested;
  const signals = signalsOf(nested);
  const agent = useAgent(run.agentId);
  return (
    <Link
      className={`small run-row ${depth > 0 ? 'run-row-sub' : ''}`}
      style={{ '--depth': depth } as object}
      href={compareWith === undefined ? runHref(run.runId) : compareHref(compareWith, run.runId)}
    >
      <span className="run-row-status">
        <StatusBadge status={run.status} />
      </span>
      <span className="run-row-text">
        <InertText text={run.userText} />
      </span>
      <span className="run-row-outcome soft">
        <InertText text={outcomeOf(nested)} />
      </span>
      <span className="run-row-guards">
        {signals.slice(0, mostChips).map((signal) => (
          <SignalChip key={signal.guard} {...signal} />
        ))}
        {signals.length > mostChips && <Badge>+{signals.length - mostChips}</Badge>}
      </span>
      <span className="run-row-cost">{run.durationMs === undefined ? '–' : formatDuration(run.durationMs)}</span>
      <span className="run-row-tokens soft">{run.tokens === undefined ? '' : count(run.tokens, 'token')}</span>
      <span className="run-row-agent">
        <InertText text={agent?.name ?? run.agentId} />
        {run.retries > 0 && ` · ${count(run.retries, 'retry', 'retries')}`}
      </span>
      <time className="soft" dateTime={new Date(run.startedAt).toISOString()} title={formatTime(run.startedAt)}>
        {formatAgo(run.startedAt)}
      </time>
    </Link>
  );
};
