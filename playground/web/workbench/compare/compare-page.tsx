import { GitCompareArrows, Info, Play } from 'lucide-react';
import { useState } from 'react';
import type { Comparison, RunSummary } from '../../../protocol/runs.js';
import { runPath } from '../../../protocol/run-file.js';
import { useAgent, useCanRepeat, useCatalog } from '../../api/catalog.js';
import { post } from '../../api/request.js';
import { useAction, useGet } from '../../api/use-loaded.js';
import { StatusBadge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { EmptyState, ErrorNotice, Loaded, Notice, Waiting } from '../../components/notices.js';
import { Form, Select } from '../../components/fields.js';
import { InertText } from '../../components/inert-text.js';
import { Panel } from '../../components/panel.js';
import { crumbsOfRun, PageHead } from '../page-head.js';
import { ComparedResponses, ComparedTable } from './compared-table.js';
import { outcomeOf } from './order-rows.js';

/** Replays a recorded run through other pipelines, without the model, and shows the verdicts that differ. */
export const ComparePage = ({ runId = '' }: { readonly runId?: string }) => (
  <Loaded loaded={useGet<RunSummary>(runPath(runId))} noun="the run">
    {(run) => <CompareView key={runId} run={run} />}
  </Loaded>
);

const CompareView = ({ run }: { readonly run: RunSummary }) => {
  const [replay, act] = useAction<Comparison>();
  const isRecorded = useCanRepeat(run.agentId);
  const start = (pipelines: LanePipelines) => act(() => post<Comparison>(`${runPath(run.runId)}/replay`, { pipelines }));
  return (
    <div className="page">
      <PageHead crumbs={crumbsOfRun(run.runId)} title="Replay and compare" badge={<StatusBadge status={run.status} />}>
        <p className="soft">
          <InertText text={run.userText} />
        </p>
      </PageHead>
      {isRecorded && (
        <LaneChoice agentId={run.agentId} isBusy={replay.state === 'busy'} onReplay={(pipelines) => void start(pipelines)} />
      )}
      <div aria-live="polite" className="stack-l">
        {replay.state === 'idle' && (
          <EmptyState icon={GitCompareArrows} title={isRecorded ? 'No replay yet' : 'No trace to replay'}>
            {isRecorded
              ? 'A replay runs recorded model output and tool results through the guards. It calls no model and no tool.'
              : 'Only runs of an InterlockAgent can be replayed. Use one with the same guards.'}
          </EmptyState>
        )}
        {replay.state === 'busy' && <Waiting noun="the replay" />}
        {replay.error && <ErrorNotice error={replay.error} />}
        {replay.state === 'done' && replay.value && <ComparisonView comparison={replay.value} />}
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
        <Notice tone="edit" icon={Info}>
          <p>The replay ended early: the changed guards led to a call that is not in the recording.</p>
          <p>
            <InertText text={endedAt} />
          </p>
        </Notice>
      )}
      {endedAt === undefined && (
        <ComparedResponses before={before.text} after={after.text} note={`${before.status} → ${after.status}`} />
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
  const { phases, pipelines } = useCatalog();
  const [chosen, setChosen] = useState<LanePipelines>({});
  const own = useAgent(agentId)?.pipelines ?? {};
  const lanes = [...new Set(phases.map(({ lane }) => lane))];
  const fitting = (lane: string) => {
    const inLane = new Set(phases.filter((row) => row.lane === lane).map(({ phase }) => phase));
    return pipelines.filter(({ id, phases: covered }) => id !== own[lane] && covered.some((phase) => inLane.has(phase)));
  };
  return (
    <Panel title="Replay with">
      <Form
        className="columns array-choice"
        onSubmit={() => onReplay(Object.fromEntries(Object.entries(chosen).filter(([, id]) => id !== '')))}
      >
        {lanes.map((lane) => (
          <Select
            key={lane}
            title={`${lane} guards`}
            value={chosen[lane] ?? ''}
            options={[['', `current: ${own[lane] ?? 'none'}`], ...fitting(lane).map(({ id, name }) => [id, name] as const)]}
            onChange={(id) => setChosen({ ...chosen, [lane]: id })}
          />
        ))}
        <Button icon={Play} look="primary" type="submit" disabled={isBusy}>
          {isBusy ? 'Replaying …' : 'Replay'}
        </Button>
      </Form>
    </Panel>
  );
};
