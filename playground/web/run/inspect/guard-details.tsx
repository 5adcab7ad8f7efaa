import { FlaskConical, History, Pencil, ShieldOff, SlidersHorizontal } from 'lucide-react';
import { useMemo } from 'react';
import type { Lane } from '../../../fold/run-view.js';
import { guardsIn } from '../../../protocol/shapes.js';
import { useFork } from '../../again/use-fork.js';
import { useAgent, useCanRepeat, useCatalog } from '../../api/catalog.js';
import { query } from '../../api/request.js';
import { Button, ButtonLink } from '../../components/button.js';
import { ErrorNotice } from '../../components/notices.js';
import { Menu } from '../../components/menu.js';
import { onDemand } from '../../components/on-demand.js';
import { attemptName } from '../../components/format.js';
import { forkHref } from '../../shell/hrefs.js';
import { labHref } from '../../workbench/lab/lab-link.js';
import { GuardVerdicts } from './guard-verdicts.js';
import type { DetailProps } from './inspector.js';
import { pipelineNamed, pipelineOf, placeMarks, withoutVerdict } from './judged.js';
import { RealTools } from '../../again/real-tools.js';

/** Requested together with the run, and not with the first guard that is shown. */
const graphCode = async () => (await import('../../workbench/graph/pipeline-graph.js')).PipelineGraph;
const PipelineGraph = onDemand(graphCode, <div className="pg" />);
void PipelineGraph.request();

const marksIn = (lane: Lane | undefined, phase: string) => (lane?.marks ?? []).filter((mark) => mark.phase === phase);

/** The guards of a phase in an attempt, at the point in time. */
const usePhase = ({ row, whole, view }: DetailProps) => {
  const catalog = useCatalog();
  const { phase, path } = row.place ?? { phase: '', path: '' };
  const lane = whole.lanes[row.lane ?? 0];
  const now = lane && view.lanes[lane.index];
  const pipeline = pipelineNamed(catalog, pipelineOf(path));
  const guards = useMemo(() => (pipeline ? guardsIn(pipeline.graph) : []), [pipeline]);
  const info = catalog.phases.find((one) => one.phase === phase);
  const isStream = info?.cadence === 'chunk';
  const stream = isStream && view.status === 'running' && now?.reason === undefined ? now : undefined;
  const marks = marksIn(now, phase);
  const places = placeMarks({ phase, marks }, pipeline?.graph, withoutVerdict(phase, lane?.marks ?? [], stream));
  return { phase, path, lane, pipeline, guards, title: info?.title ?? phase, isStream, marks, places };
};

/** The guards of a phase as a band, and the selected guard: its verdicts, and what can be tried without it. */
export const GuardDetails = (props: DetailProps) => {
  const { runId, whole, playhead } = props;
  const { phase, path, lane, pipeline, guards, title, isStream, marks, places } = usePhase(props);
  const author = guards.findIndex((guard) => guard.path === path);
  const canRun = useCanRepeat(whole.agentId) && guards[author] !== undefined;
  return (
    <>
      <p className="soft small">
        {title}
        {lane && `, ${attemptName(lane)}`}
      </p>
      {pipeline && (
        <PipelineGraph
          graph={pipeline.graph}
          selected={path}
          marks={places}
          isCompact
          onSelect={(next) => playhead.select({ phase, path: next })}
        />
      )}
      <GuardVerdicts
        runId={runId}
        path={path}
        marks={marks.filter((mark) => mark.path === path)}
        author={Math.max(0, author)}
        shape={guards[author]}
        state={places.get(path)?.label}
        isRecorded={whole.visits.length > 0}
        actions={canRun && <Actions runId={runId} agentId={whole.agentId} path={path} lane={isStream ? lane : undefined} />}
      />
    </>
  );
};

interface ActionsProps {
  readonly runId: string;
  readonly agentId: string | undefined;
  readonly path: string;
  /** The attempt whose stream the guard judged; undefined if it judged no stream. */
  readonly lane: Lane | undefined;
}

/** The ways from a verdict to its fix. */
const Actions = ({ runId, agentId, path, lane }: ActionsProps) => (
  <div className="cluster">
    <WithoutGuard runId={runId} agentId={agentId} path={path} />
    <ButtonLink icon={SlidersHorizontal} href={forkHref(runId, { guard: path })}>
      Change options…
    </ButtonLink>
    <ButtonLink icon={Pencil} href={forkHref(runId)}>
      Edit this input
    </ButtonLink>
    <ButtonLink icon={History} href={`/guard-replay${query({ guard: path, agent: agentId })}`}>
      Replay on the last 50 runs
    </ButtonLink>
    {lane && (
      <ButtonLink icon={FlaskConical} href={labHref(runId, lane, pipelineOf(path))}>
        Open in the lab
      </ButtonLink>
    )}
  </div>
);

/** Runs the recorded run again with the guard in shadow mode, and compares both. Before tools can run, it names them. */
const WithoutGuard = ({ runId, agentId, path }: Pick<ActionsProps, 'runId' | 'agentId' | 'path'>) => {
  const { fork, start } = useFork(runId);
  const { tools = [] } = useAgent(agentId) ?? {};
  const isBusy = fork.state === 'busy';
  const title = isBusy ? 'Running …' : 'Run without this guard';
  const run = (): void => void start({ guard: { kind: 'own', pipelineId: pipelineOf(path), path, options: { shadow: true } } });
  return (
    <>
      {tools.length === 0 ? (
        <Button icon={ShieldOff} look="primary" disabled={isBusy} onClick={run}>
          {title}
        </Button>
      ) : (
        <Menu icon={ShieldOff} title={title} look="primary">
          <RealTools tools={tools} />
          <Button look="primary" disabled={isBusy} onClick={run}>
            {isBusy ? 'Running …' : 'Run and compare'}
          </Button>
        </Menu>
      )}
      {fork.error && <ErrorNotice error={fork.error} />}
    </>
  );
};
