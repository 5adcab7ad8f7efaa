import { Cpu } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { useEffect, useMemo, useRef, type RefObject } from 'react';
import type { Catalog } from '../../../protocol/catalog.js';
import { useCatalog } from '../../api/catalog.js';
import { EmptyState } from '../../components/empty-state.js';
import { GuardMarkRow } from '../../components/guard-mark-row.js';
import { Panel } from '../../components/panel.js';
import type { GuardMark, Lane } from '../../fold/run-view.js';
import type { Place } from '../use-playhead.js';
import { PipelineGraph } from '../../workbench/graph/pipeline-graph.js';
import { guardsIn } from '../../../protocol/shapes.js';
import { GuardInspector } from './guard-inspector.js';
import {
  judgedPhases,
  latestPhase,
  pipelineNamed,
  pipelineOf,
  placeMarks,
  streamProgress,
  strictestVerdict,
  withoutVerdict,
  type JudgedPhase,
} from './judged.js';
import './guards.css';

const nothing: readonly never[] = [];

interface PhaseViewProps {
  readonly runId: string;
  readonly judged: JudgedPhase;
  readonly lane: Lane;
  readonly later: readonly GuardMark[];
  readonly selected: string | undefined;
  readonly onPath: (path: string) => void;
}

/** The pipeline of one phase with its guards' verdicts, and the selected guard. */
const PhaseView = ({ runId, judged, lane, later, selected: chosen, onPath }: PhaseViewProps) => {
  const catalog = useCatalog();
  const pipeline = pipelineNamed(catalog, judged.pipelineId);
  const guards = useMemo(() => (pipeline ? guardsIn(pipeline.graph) : []), [pipeline]);
  const isStream = catalog.phases.some(({ phase, cadence }) => phase === judged.phase && cadence === 'chunk');
  const stream = useMemo(() => (isStream && lane.reason === undefined ? streamProgress(lane) : undefined), [isStream, lane]);
  const places = useMemo(
    () => placeMarks(judged, pipeline?.graph, withoutVerdict(judged.phase, later, stream)),
    [judged, pipeline, later, stream],
  );
  const decisive = strictestVerdict(judged.marks) ?? judged.marks.at(-1);
  const selected = chosen ?? decisive?.path;
  const author = guards.findIndex(({ path }) => path === selected);
  return (
    <div className="phase-view">
      {pipeline ? (
        <PipelineGraph graph={pipeline.graph} selected={selected} marks={places} onSelect={onPath} />
      ) : (
        <ul className="phase-list">
          {judged.marks.map((mark) => (
            <GuardMarkRow key={`${mark.seq} ${mark.path}`} mark={mark} phaseTitle={titleOf(catalog, judged.phase)} />
          ))}
        </ul>
      )}
      {selected !== undefined && (
        <GuardInspector
          key={selected}
          runId={runId}
          path={selected}
          marks={judged.marks.filter(({ path }) => path === selected)}
          author={Math.max(0, author)}
          shape={guards[author]}
          stream={stream}
        />
      )}
    </div>
  );
};

/** Keeps the selected tab in view if not all fit; nothing else moves. */
const useTabInSight = (key: string): RefObject<HTMLDivElement | null> => {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const tabs = list.current?.querySelectorAll<HTMLElement>('[data-phase]') ?? [];
    const tab = [...tabs].find(({ dataset }) => dataset['phase'] === key);
    if (!list.current || !tab) return;
    const [from, to] = [tab.offsetLeft - list.current.offsetLeft, tab.offsetLeft - list.current.offsetLeft + tab.offsetWidth];
    const { scrollLeft, clientWidth } = list.current;
    list.current.scrollLeft = Math.min(Math.max(scrollLeft, to - clientWidth), from);
  }, [key]);
  return list;
};

const isOf = ({ phase, pipelineId }: JudgedPhase, place: Place | undefined): boolean =>
  place !== undefined && place.phase === phase && pipelineOf(place.path) === pipelineId;

/** Without spaces, because tabs make element ids of it. */
const keyOf = ({ phase, pipelineId }: JudgedPhase): string => `${phase}:${encodeURIComponent(pipelineId)}`;

const titleOf = ({ phases }: Catalog, name: string): string => phases.find(({ phase }) => phase === name)?.title ?? name;

interface PhaseTabsProps {
  readonly judged: readonly JudgedPhase[];
  readonly current: string;
}

const PhaseTabs = ({ judged, current }: PhaseTabsProps) => {
  const catalog = useCatalog();
  const list = useTabInSight(current);
  return (
    <Tabs.List ref={list} className="tabs" aria-label="Phases with guard calls">
      {judged.map((one) => (
        <Tabs.Trigger key={keyOf(one)} value={keyOf(one)} data-phase={keyOf(one)}>
          {titleOf(catalog, one.phase)}
        </Tabs.Trigger>
      ))}
    </Tabs.List>
  );
};

interface GuardsPanelProps {
  readonly runId: string;
  /** The attempt to show. */
  readonly lane: Lane | undefined;
  /** All known marks of this attempt. */
  readonly later: readonly GuardMark[] | undefined;
  /** The selected place. Without it the panel follows the run. */
  readonly place: Place | undefined;
  readonly onPlace: (place: Place) => void;
}

/** The guards of an attempt, phase by phase. */
export const GuardsPanel = ({ runId, lane, later = nothing, place, onPlace }: GuardsPanelProps) => {
  const { marks = nothing, guardCalls = nothing } = lane ?? {};
  const judged = useMemo(() => judgedPhases({ marks, guardCalls }), [marks, guardCalls]);
  if (!lane || judged.length === 0)
    return (
      <Panel title="Guards">
        <EmptyState icon={Cpu} title="No guard calls">
          No guard ran up to this time.
        </EmptyState>
      </Panel>
    );
  const current = judged.find((one) => isOf(one, place)) ?? judged[Math.max(0, latestPhase(judged, lane))];
  if (!current) return null;
  const selected = isOf(current, place) && place?.path !== current.pipelineId ? place?.path : undefined;
  return (
    <Panel title="Guards" note={`step ${lane.stepNumber + 1}, attempt ${lane.attempt}`} isFlush className="guards">
      <Tabs.Root
        value={keyOf(current)}
        onValueChange={(key) => {
          const chosen = judged.find((one) => keyOf(one) === key);
          if (chosen) onPlace({ phase: chosen.phase, path: chosen.pipelineId });
        }}
        activationMode="manual"
      >
        <PhaseTabs judged={judged} current={keyOf(current)} />
        <Tabs.Content value={keyOf(current)} tabIndex={-1}>
          <PhaseView
            key={keyOf(current)}
            runId={runId}
            judged={current}
            lane={lane}
            later={later}
            selected={selected}
            onPath={(path) => onPlace({ phase: current.phase, path })}
          />
        </Tabs.Content>
      </Tabs.Root>
    </Panel>
  );
};
