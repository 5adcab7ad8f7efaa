import { History } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import './again.css';
import { useCatalog } from '../api/catalog.js';
import { EmptyState, ErrorNotice } from '../components/notices.js';
import { count, formatTime } from '../components/format.js';
import { Panel } from '../components/panel.js';
import { useQuery } from '../shell/use-query.js';
import { changedVerdicts, changeName, countChanges, sumUp, type ChangedVerdict } from './changed-verdicts.js';
import { readChoice } from './guard-choice.js';
import { GuardForm } from './guard-form.js';
import { useGuardReplay, type GuardReplay } from './use-guard-replay.js';
import { StatusBadge } from '../components/badge.js';
import { InertText } from '../components/inert-text.js';
import type { RunSummary } from '../../protocol/runs.js';
import { runHref } from '../shell/hrefs.js';
import { Aside, Table } from '../components/table.js';
import { usePlace, Verdict } from '../workbench/compare/compared-table.js';
import { PageHead } from '../workbench/page-head.js';

/** Runs that could not be replayed, or only in part. */
const Notes = ({ replayed }: GuardReplay) => {
  const ended = replayed.filter(({ comparison }) => comparison?.endedAt !== undefined).length;
  const failed = replayed.filter(({ error }) => error);
  return (
    <>
      {ended > 0 && (
        <p className="faint">
          {count(ended, 'replay')} ended early: the guard changed a model or tool call, and the recording has no result for the
          changed call.
        </p>
      )}
      {failed[0]?.error && (
        <>
          <p>{count(failed.length, 'run')} could not be replayed. First error:</p>
          <ErrorNotice error={failed[0].error} />
        </>
      )}
    </>
  );
};

const Outcome = ({ replay }: { readonly replay: GuardReplay }) => {
  const [only, setOnly] = useState<string>();
  const { replayed, state, total, error } = replay;
  const changed = useMemo(() => replayed.flatMap(changedVerdicts), [replayed]);
  const listed = changed.filter(({ row }) => only === undefined || changeName(row) === only);
  if (state === 'idle')
    return (
      <EmptyState icon={History} title="No replay yet">
        A replay runs recorded model output and tool results through the guards. It calls no model and no tool.
      </EmptyState>
    );
  if (error) return <ErrorNotice error={error} />;
  if (total === 0)
    return (
      <EmptyState icon={History} title="No runs to replay">
        <Link href="/">Chat with an agent</Link> first, or choose another agent.
      </EmptyState>
    );
  return (
    <>
      <div className="cluster soft small replay-progress">
        <progress aria-label="Runs replayed" value={total === undefined ? undefined : replayed.length} max={total ?? 1} />
        <span>
          {total === undefined ? 'Loading runs …' : `${replayed.length} of ${count(total, 'run')}`}
          {state === 'stopped' && ', stopped'}
        </span>
      </div>
      <p className="outcome" aria-live="polite">
        {state !== 'busy' && sumUp(replayed)}
      </p>
      <Notes {...replay} />
      {changed.length > 0 && (
        <Panel
          title="Changed verdicts"
          note={count(listed.length, 'verdict')}
          tools={countChanges(changed).map(([name, amount]) => (
            <button
              key={name}
              type="button"
              className="change-chip"
              aria-pressed={only === name}
              onClick={() => setOnly(only === name ? undefined : name)}
            >
              {name}: {amount}
            </button>
          ))}
          isFlush
        >
          <ChangedTable changed={listed} />
        </Panel>
      )}
    </>
  );
};

/** The verdicts of a guard, or of one with other options, in the latest runs. */
export const GuardReplayPage = () => {
  const { agents } = useCatalog();
  const [query, setQuery] = useQuery();
  const choice = useMemo(() => readChoice(query), [query]);
  const { replay, start, stop } = useGuardReplay();
  return (
    <div className="page">
      <PageHead crumbs={[['Runs', '/runs']]} title="Replay a guard on recorded runs">
        <p className="faint">Shows what this guard would have decided in the latest runs.</p>
      </PageHead>
      <GuardForm
        choice={choice}
        isBusy={replay.state === 'busy'}
        onChange={setQuery}
        onReplay={(guard) => void start({ ...choice, guard, agents })}
        onStop={stop}
      />
      <div className="stack">
        <Outcome replay={replay} />
      </div>
    </div>
  );
};

const RunEnd = ({ comparison }: Pick<ChangedVerdict, 'comparison'>) => {
  const { before, after, endedAt } = comparison;
  if (endedAt !== undefined) return <span className="faint">unknown: the model call would have been different</span>;
  if (before.status === after.status) return <span className="faint">unchanged</span>;
  return <StatusBadge status={after.status as RunSummary['status']} />; // from a run that was replayed to its end
};

/** The changed verdicts, run by run; each opens its run. */
const ChangedTable = ({ changed }: { readonly changed: readonly ChangedVerdict[] }) => {
  const placeOf = usePlace();
  return (
    <Table
      className="rows-flush rows-cards changed"
      rows={changed}
      columns={[
        {
          title: 'Run',
          render: ({ run }) => (
            <>
              <Link href={runHref(run.runId)}>
                <InertText text={run.userText === '' ? run.runId : run.userText} />
              </Link>
              <Aside>{formatTime(run.startedAt)}</Aside>
            </>
          ),
        },
        {
          title: 'Guard',
          render: ({ row }) => (
            <>
              {row.processorId}
              <Aside>{placeOf(row)}</Aside>
            </>
          ),
        },
        { title: 'Recorded', render: ({ row }) => <Verdict verdict={row.before} /> },
        { title: 'Replayed', render: ({ row }) => <Verdict verdict={row.after} /> },
        { title: 'New status', render: ({ comparison }) => <RunEnd comparison={comparison} /> },
      ]}
    />
  );
};
