import { GitCompareArrows, Info, Play } from 'lucide-react';
import { useCallback, useState } from 'react';
import './compare.css';
import { useCatalog } from '../../api/catalog.js';
import { get, post } from '../../api/request.js';
import { useAction } from '../../api/use-action.js';
import { useLoaded } from '../../api/use-loaded.js';
import { runPath } from '../../../protocol/run-file.js';
import type { Comparison, RunSummary } from '../../../protocol/runs.js';
import { StatusBadge } from '../../components/badge.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { InertText } from '../../components/inert-text.js';
import { Panel } from '../../components/panel.js';
import { Waiting } from '../../components/waiting.js';
import { WordDiff } from '../../components/word-diff.js';
import { ComparedTable } from './compared-table.js';
import { outcomeOf } from './order-rows.js';
import { Button } from '../../components/button.js';
import { crumbsOfRun, PageHead } from '../page-head.js';

/** Replays a recorded run through other pipelines, without the model, and shows the verdicts that differ. */
export const ComparePage = ({ runId = '' }: { readonly runId?: string }) => {
  const { agents } = useCatalog();
  const path = `runs/${encodeURIComponent(runId)}`;
  const loaded = useLoaded(useCallback((signal) => get<RunSummary>(path, signal), [path]));
  if (loaded.state === 'failed') return <ErrorNotice error={loaded.error} onRetry={loaded.reload} />;
  if (loaded.state === 'loading') return <Waiting noun="the run" />;
  const { agentId } = loaded.value;
  return <CompareView key={runId} run={loaded.value} isRecorded={agents.find(({ id }) => id === agentId)?.kind !== 'mastra'} />;
};

interface CompareViewProps {
  readonly run: RunSummary;
  /** Mastra's own agent's run has no trace for a replay. */
  readonly isRecorded: boolean;
}

const CompareView = ({ run, isRecorded }: CompareViewProps) => {
  const [replay, act] = useAction<Comparison>();
  const start = (pipelines: LanePipelines) => act(() => post<Comparison>(`${runPath(run.runId)}/replay`, { pipelines }));
  return (
    <div className="page">
      <PageHead
        crumbs={crumbsOfRun(run.runId)}
        title={
          <>
            Replay and compare <StatusBadge status={run.status} />
          </>
        }
      >
        <p className="soft">
          <InertText text={run.userText} />
        </p>
      </PageHead>
      {isRecorded && (
        <LaneChoice agentId={run.agentId} isBusy={replay.state === 'busy'} onReplay={(pipelines) => void start(pipelines)} />
      )}
      <div aria-live="polite" className="stack-l">
        {!isRecorded && (
          <EmptyState icon={GitCompareArrows} title="No trace to replay">
            Mastra’s own agent records no trace. To replay runs, use an InterlockAgent with the same guards.
          </EmptyState>
        )}
        {isRecorded && replay.state === 'idle' && (
          <EmptyState icon={GitCompareArrows} title="No replay yet">
            A replay runs recorded model output and tool results through the guards. It calls no model and no tool.
          </EmptyState>
        )}
        {replay.state === 'busy' && <Waiting noun="the replay" />}
        {replay.state === 'failed' && <ErrorNotice error={replay.error} />}
        {replay.state === 'done' && <ComparisonView comparison={replay.value} />}
      </div>
    </div>
  );
};

const ComparisonView = ({ comparison }: { readonly comparison: Comparison }) => {
  const { rows, before, after, endedAt } = comparison;
  return (
    <>
      <p className="outcome">{outcomeOf(comparison)}</p>
      {endedAt !== undefined && (
        <div className="notice tone-edit">
          <Info size={18} aria-hidden />
          <div className="stack-s notice-body">
            <p>The replay ended early: the changed guards led to a call that is not in the recording.</p>
            <p>
              <InertText text={endedAt} />
            </p>
          </div>
        </div>
      )}
      {endedAt === undefined && (
        <Panel title="Response" note={`${before.status} → ${after.status}`}>
          {before.text === '' && after.text === '' ? (
            <p className="faint">Neither run has a response.</p>
          ) : (
            <WordDiff before={before.text} after={after.text} />
          )}
        </Panel>
      )}
      <Panel title="Verdicts" isFlush>
        <ComparedTable rows={rows} />
      </Panel>
    </>
  );
};

/** Other pipelines, by array. */
type LanePipelines = Readonly<Record<string, string>>;

interface LaneChoiceProps {
  readonly agentId: string;
  readonly isBusy: boolean;
  readonly onReplay: (pipelines: LanePipelines) => void;
}

/** Chooses the pipeline of each array; an array without a choice keeps the agent's own. */
const LaneChoice = ({ agentId, isBusy, onReplay }: LaneChoiceProps) => {
  const { phases, agents, pipelines } = useCatalog();
  const [chosen, setChosen] = useState<LanePipelines>({});
  const own = agents.find(({ id }) => id === agentId)?.pipelines ?? {};
  const lanes = [...new Set(phases.map(({ lane }) => lane))];
  const choose = (lane: string, id: string): void => {
    const { [lane]: _, ...others } = chosen;
    setChosen(id === '' ? others : { ...others, [lane]: id });
  };
  const fitting = (lane: string) => {
    const inLane = new Set(phases.filter((row) => row.lane === lane).map(({ phase }) => phase));
    return pipelines.filter(({ id, phases: covered }) => id !== own[lane] && covered.some((phase) => inLane.has(phase)));
  };
  return (
    <Panel title="Replay with">
      <form
        className="columns array-choice"
        onSubmit={(event) => {
          event.preventDefault();
          onReplay(chosen);
        }}
      >
        {lanes.map((lane) => (
          <label key={lane} className="field">
            <span className="field-title">{lane} guards</span>
            <select className="input" value={chosen[lane] ?? ''} onChange={({ target }) => choose(lane, target.value)}>
              <option value="">{own[lane] === undefined ? 'current: none' : `current: ${own[lane]}`}</option>
              {fitting(lane).map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        ))}
        <Button look="primary" type="submit" disabled={isBusy}>
          <Play size={14} aria-hidden /> {isBusy ? 'Replaying …' : 'Replay'}
        </Button>
      </form>
    </Panel>
  );
};
