import { SearchX } from 'lucide-react';
import { useCallback, useMemo, useEffect, useRef } from 'react';
import './run.css';
import type { RunSummary } from '../../protocol/runs.js';
import { useCatalog } from '../api/catalog.js';
import { get, runFile } from '../api/request.js';
import { useRun, type ReadRun } from '../api/run-readers.js';
import { useLoaded } from '../api/use-loaded.js';
import { EmptyState } from '../components/empty-state.js';
import { ErrorNotice } from '../components/error-notice.js';
import { Panel } from '../components/panel.js';
import { Waiting } from '../components/waiting.js';
import { chartPosition } from '../fold/chart-position.js';
import { markersOf } from '../fold/markers.js';
import { currentLane, type GuardMark, type RunView } from '../fold/run-view.js';
import { EventsPanel } from './events/events-panel.js';
import { GuardsPanel } from './guards/guards-panel.js';
import { strictestVerdict } from './guards/judged.js';
import { HoldBackPanel } from './hold-back/hold-back-panel.js';
import { LanesPanel } from './lanes/lanes-panel.js';
import { PromptsPanel } from './prompts/prompts-panel.js';
import { NoWords, notRecorded } from './no-words.js';
import { RunHead } from './run-head.js';
import { StateLegend, Statechart } from './statechart/statechart.js';
import { StepIndex } from './steps/step-index.js';
import { SubRunsPanel } from './sub-runs/sub-runs-panel.js';
import { Timeline } from './timeline/timeline.js';
import { usePlayhead, type Place, type Playhead } from './use-playhead.js';
import { WaterfallPanel } from './waterfall/waterfall-panel.js';
import { Approval } from '../chat/approval.js';
import { TripwireNotice } from '../components/tripwire-notice.js';
import { SignalList, isNotable } from './lanes/signal-list.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import { useQuery } from '../shell/use-query.js';

interface OpenRunProps {
  readonly summary: RunSummary;
  readonly run: ReadRun;
}

const OpenRun = ({ summary, run }: OpenRunProps) => {
  const { runId } = summary;
  const { machine } = useCatalog();
  const { entries, count: lines, fold } = run;
  const playhead = usePlayhead();
  const { moveTo } = playhead;
  useCallInAddress(entries, lines, moveTo);
  const whole = fold.at();
  const view = fold.at(playhead.at);
  const { visits } = view;
  const lane = currentLane(view);
  const onMark = useCallback(({ seq, phase, path }: GuardMark) => moveTo(seq, { phase, path }), [moveTo]);
  /** Another host's loop reports no states, and only our guards. */
  const isKnown = whole.visits.length > 0;
  const hasGuards = isKnown || whole.lanes.some(({ guardCalls, marks }) => guardCalls.length + marks.length > 0);
  const markers = useMemo(() => markersOf(entries.slice(0, lines)), [entries, lines]);
  const position = useMemo(() => chartPosition(visits, machine), [visits, machine]);
  const onState = useCallback(
    (state: string) => moveTo(visits.findLast((visit) => visit.state === state)?.seq),
    [visits, moveTo],
  );
  return (
    <NoWords value={isKnown ? undefined : notRecorded}>
      <div className="run">
        <div className="run-scroll">
          <RunHead summary={summary} view={view} whole={whole} state={run.state} onMark={onMark} />
          <div className="run-grid">
            {isKnown && (
              <Panel
                title="Statechart"
                note={[...position.active].join(', ')}
                tools={<StateLegend />}
                isFlush
                className="run-chart"
              >
                <Statechart position={position} onState={onState} />
              </Panel>
            )}
            <div className="run-column">
              <RunEnd runId={runId} view={whole} />
              {hasGuards && <RunSignals whole={whole} seq={view.seq} onSeq={moveTo} />}
              <StepIndex whole={whole} lane={lane} onSeq={moveTo} />
              {hasGuards && <GuardsPanel runId={runId} {...guardsAt(playhead, view, whole)} onPlace={playhead.select} />}
              <WaterfallPanel entries={entries} lines={lines} view={view} onSeq={moveTo} />
              <SubRunsPanel runId={runId} />
              <LanesPanel runId={runId} view={view} onSeq={moveTo} />
              <HoldBackPanel runId={runId} entries={entries} lines={lines} view={view} lane={lane} onSeq={moveTo} />
              {isKnown && <PromptsPanel runId={runId} entries={entries} lines={lines} seq={view.seq} />}
              <EventsPanel entries={entries} lines={lines} seq={view.seq} onSeq={moveTo} />
            </div>
          </div>
        </div>
        <Timeline entries={entries} markers={markers} view={view} playhead={playhead} />
      </div>
    </NoWords>
  );
};

/** The attempt and the place that the guards panel shows. At the end of a run they are those of the verdict that explains it. */
const guardsAt = ({ at, place }: Playhead, view: RunView, whole: RunView) => {
  const isEnd = at === undefined && whole.status !== 'running';
  const mark = isEnd ? strictestVerdict(whole.lanes.flatMap(({ marks }) => marks)) : undefined;
  const lane = mark ? whole.lanes.find(({ marks }) => marks.includes(mark)) : currentLane(view);
  return { lane, later: lane && whole.lanes[lane.index]?.marks, place: place ?? mark };
};

/** A run at the point in time of the address: its state, its guards' verdicts, and its released text. */
export const RunPage = ({ runId = '' }: { readonly runId?: string }) => {
  const run = useRun(runId);
  const path = `runs/${encodeURIComponent(runId)}`;
  const summary = useLoaded(useCallback((signal) => get<RunSummary>(path, signal), [path]));
  if (run.state === 'failed' && run.error)
    return (
      <div className="page">
        <ErrorNotice error={run.error} />
      </div>
    );
  if (run.count > 0 && summary.state === 'loaded') return <OpenRun key={runId} summary={summary.value} run={run} />;
  if (run.state === 'over')
    return (
      <EmptyState icon={SearchX} title="Run not found">
        The studio removes the oldest runs when its storage limit is reached.
      </EmptyState>
    );
  return <Waiting noun="the run" />;
};

interface RunEndProps {
  readonly runId: string;
  /** The run with all known lines, at any point in time of the page. */
  readonly view: RunView;
}

/** The end of the run, or the call that it waits for. */
const RunEnd = ({ runId, view }: RunEndProps) => (
  <>
    {view.tripwire && <TripwireNotice tripwire={view.tripwire} />}
    {view.error && <ErrorNotice error={view.error} />}
    {view.status === 'suspended' &&
      !view.error &&
      !runFile && // otherwise nothing is left to answer
      view.waiting.map((call) => <Approval key={call.toolCallId} runId={runId} call={call} />)}
  </>
);

interface RunSignalsProps {
  /** The run with all known lines. */
  readonly whole: RunView;
  /** The point in time that the page shows. */
  readonly seq: number;
  readonly onSeq: (seq: number, place: Place) => void;
}

/** The text for a run in which every guard passed. */
const quietly = (hasGuardCalls: boolean, isOver: boolean): string => {
  if (!hasGuardCalls) return isOver ? 'No guard ran.' : 'No guard has run so far.';
  return isOver ? 'All guards passed.' : 'All guards passed so far.';
};

/** The guards' effects in the whole run, at a glance: each leads to its moment. */
const RunSignals = ({ whole, seq, onSeq }: RunSignalsProps) => {
  const marks = whole.lanes.flatMap((lane) => lane.marks.filter(isNotable));
  const hasGuardCalls = whole.lanes.some((lane) => lane.marks.length > 0 || lane.guardCalls.length > 0);
  const isOver = whole.status !== 'running';
  return (
    <Panel title="Guard effects" note={marks.length > 0 ? 'select one to see it in the run' : undefined}>
      {marks.length === 0 && <p className="run-quiet">{quietly(hasGuardCalls, isOver)}</p>}
      <SignalList label="Guard effects" marks={marks} seq={seq} onSeq={onSeq} />
    </Panel>
  );
};

const isOf = (entry: StudioEntry | undefined, toolCallId: string): boolean =>
  entry?.kind === 'event' &&
  (entry.event.type === 'tool-finish' || entry.event.type === 'tool-start') &&
  entry.event.toolCallId === toolCallId;

/** Goes once to the tool call that the address names, as soon as its line is loaded. */
const useCallInAddress = (entries: readonly StudioEntry[], lines: number, moveTo: (seq: number) => void): void => {
  const [query, setQuery] = useQuery();
  const call = query.get('call');
  const found = useRef<string>(undefined);
  useEffect(() => {
    if (call === null || found.current === call) return;
    const at = entries.slice(0, lines).findLastIndex((entry) => isOf(entry, call));
    const entry = entries[at];
    if (!entry) return;
    found.current = call;
    setQuery({ call: undefined });
    moveTo(entry.seq);
  }, [call, entries, lines, moveTo, setQuery]);
};
