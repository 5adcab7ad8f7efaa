import { History } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { useCatalog } from '../api/catalog.js';
import { EmptyState } from '../components/empty-state.js';
import { ErrorNotice } from '../components/error-notice.js';
import { count } from '../components/format.js';
import { Panel } from '../components/panel.js';
import { useQuery } from '../shell/use-query.js';
import { useTitle } from '../shell/use-title.js';
import { changedVerdicts, changeName, countChanges, sumUp } from './changed-verdicts.js';
import { ChangedTable } from './changed-table.js';
import { readChoice } from './guard-choice.js';
import { GuardForm } from './guard-form.js';
import { useGuardReplay, type GuardReplay } from './use-guard-replay.js';
import '../workbench/workbench.css';
import './again.css';

const Progress = ({ state, total, replayed }: GuardReplay) => (
  <div className="replay-progress">
    <progress aria-label="Runs replayed" value={total === undefined ? undefined : replayed.length} max={total ?? 1} />
    <span>
      {total === undefined ? 'Reading the list of runs …' : `${replayed.length} of ${count(total, 'run')}`}
      {state === 'stopped' && ', stopped'}
    </span>
  </div>
);

/** What could not be replayed, or only in part. */
const Notes = ({ replayed }: GuardReplay) => {
  const ended = replayed.filter(({ comparison }) => comparison?.endedAt !== undefined).length;
  const failed = replayed.filter(({ error }) => error);
  return (
    <>
      {ended > 0 && (
        <p className="faint">
          {count(ended, 'replay')} ended early: the guard changed what the model or a tool is asked, and what they would have
          answered is not recorded.
        </p>
      )}
      {failed[0]?.error && (
        <>
          <p>{count(failed.length, 'run')} could not be replayed. The first of them:</p>
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
  const shown = changed.filter(({ row }) => only === undefined || changeName(row) === only);
  if (state === 'idle')
    return (
      <EmptyState icon={History} title="Nothing has been replayed yet">
        A replay runs the recorded words of models and the recorded results of tools through the guards. Nothing is called.
      </EmptyState>
    );
  if (error) return <ErrorNotice error={error} />;
  if (total === 0)
    return (
      <EmptyState icon={History} title="No run can be replayed">
        <Link href="/">Talk to an agent</Link> first, or choose another one.
      </EmptyState>
    );
  return (
    <>
      <Progress {...replay} />
      <p className="replay-outcome" aria-live="polite">
        {state !== 'busy' && sumUp(replayed)}
      </p>
      <Notes {...replay} />
      {changed.length > 0 && (
        <Panel
          title="Changed verdicts"
          note={count(shown.length, 'verdict')}
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
          <ChangedTable changed={shown} />
        </Panel>
      )}
    </>
  );
};

/** What a guard, or one with other options, would have done to the last runs. */
export const GuardReplayPage = () => {
  useTitle('Replay a guard');
  const { agents } = useCatalog();
  const [query, setQuery] = useQuery();
  const choice = useMemo(() => readChoice(query), [query]);
  const { replay, start, stop } = useGuardReplay();
  return (
    <div className="page">
      <header className="workbench-head">
        <p className="crumbs">
          <Link href="/runs">Runs</Link>
        </p>
        <div className="page-head">
          <h1>Replay a guard over recorded runs</h1>
        </div>
        <p className="faint">What would this guard have done to the last runs?</p>
      </header>
      <GuardForm
        choice={choice}
        isBusy={replay.state === 'busy'}
        onChange={setQuery}
        onReplay={(guard) => void start({ ...choice, guard, agents })}
        onStop={stop}
      />
      <div className="replay-results">
        <Outcome replay={replay} />
      </div>
    </div>
  );
};
