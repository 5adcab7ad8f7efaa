import { Tabs } from 'radix-ui';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { runPath } from '../../protocol/run-file.js';
import type { RunSummary } from '../../protocol/runs.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import { factsOfTree, worstFactOf, type RunTree, type TreeFact } from '../../fold/run-tree.js';
import { useRun, type ReadRun } from '../api/run-readers.js';
import { useGet } from '../api/use-loaded.js';
import { useRunTree } from '../api/use-run-tree.js';
import { Approvals } from '../chat/approval.js';
import { ErrorNotice, Waiting } from '../components/notices.js';
import { onDemand } from '../components/on-demand.js';
import { Pills } from '../components/pills.js';
import { axisOf } from '../fold/axis.js';
import { spineOf } from '../fold/spine.js';
import type { SpineRow } from '../fold/spine-row.js';
import { useQuery } from '../shell/use-query.js';
import { EventsPanel } from './events/events-panel.js';
import { Inspector } from './inspect/inspector.js';
import { pipelineOf } from './inspect/judged.js';
import { RunHead } from './run-head.js';
import { Spine } from './spine/spine.js';
import { Timeline } from './timeline/timeline.js';
import { usePlayhead, type Playhead } from './use-playhead.js';
import './run.css';

const chartCode = async () => (await import('./statechart/statechart.js')).VisitedStatechart;
const Statechart = onDemand(chartCode, <Waiting noun="the statechart" />);

const OpenRun = ({ summary, run }: { readonly summary: RunSummary; readonly run: ReadRun }) => {
  const { runId } = summary;
  const { entries, count: lines, fold } = run;
  const playhead = usePlayhead();
  const { moveTo } = playhead;
  useCallInAddress(entries, lines, moveTo);
  const tree = useRunTree(summary, run);
  const isUnderWay = tree.view.status === 'running' && run.state === 'live';
  const ticking = useNow(isUnderWay);
  const whole = tree.view;
  const now = isUnderWay ? Math.max(ticking, whole.at ?? 0) : (whole.endedAt ?? whole.at ?? 0);
  const view = fold.at(playhead.at);
  const facts = useMemo(() => factsOfTree(tree), [tree]);
  const { rows, selected, onFold } = useRows({ tree, facts, playhead, now });
  const axis = useMemo(
    () => axisOf(whole, Math.max(now, ...tree.subRuns.map(({ view: sub }) => sub.endedAt ?? 0))),
    [whole, tree, now],
  );
  const onRow = useCallback(
    ({ seq, place, runId: of, key }: SpineRow) => moveTo(seq, place, { row: key, subRun: of === runId ? undefined : of }),
    [moveTo, runId],
  );
  const onFact = useCallback(
    ({ seq, mark, runId: of }: TreeFact) =>
      moveTo(seq, mark && { phase: mark.phase, path: mark.path }, { subRun: of === runId ? undefined : of }),
    [moveTo, runId],
  );
  /** Another host's loop reports no states, and only our guards. */
  const isKnown = whole.visits.length > 0;
  return (
    <div className="run">
      <div className="run-scroll">
        <RunHead tree={tree} state={run.state} now={now} onFact={onFact} />
        <Approvals runId={runId} view={whole} />
        {isKnown && <Pills visits={whole.visits} seq={view.seq} onSeq={moveTo} />}
        <div className="run-columns">
          <Spine
            rows={rows}
            axis={axis}
            selected={selected?.key}
            seq={playhead.at ?? Infinity}
            rootId={runId}
            onRow={onRow}
            onFold={onFold}
          />
          <Side tree={tree} run={run} view={view} row={selected} playhead={playhead} />
        </div>
      </div>
      <Timeline entries={entries} facts={facts.filter(({ runId: of }) => of === runId)} view={view} playhead={playhead} />
    </div>
  );
};

interface SideProps {
  readonly tree: RunTree;
  readonly run: ReadRun;
  /** The run at the point in time. */
  readonly view: RunTree['view'];
  readonly row: SpineRow | undefined;
  readonly playhead: Playhead;
}

/** The selected row in detail; on request all events, and the statechart. */
const Side = ({ tree, run: { entries, count: lines }, view, row, playhead }: SideProps) => {
  const onState = (state: string) => playhead.moveTo(view.visits.findLast((visit) => visit.state === state)?.seq);
  return (
    <Tabs.Root defaultValue="details" className="run-side" activationMode="manual">
      <h2 className="unseen">Views of the run</h2>
      <Tabs.List className="tabs" aria-label="Views of the run">
        <Tabs.Trigger value="details">Details</Tabs.Trigger>
        <Tabs.Trigger value="events">Events</Tabs.Trigger>
        {tree.view.visits.length > 0 && <Tabs.Trigger value="chart">Statechart</Tabs.Trigger>}
      </Tabs.List>
      <Tabs.Content value="details" tabIndex={-1}>
        {row && <Inspector key={`${row.key} ${row.place?.path}`} tree={tree} row={row} seq={playhead.at} playhead={playhead} />}
      </Tabs.Content>
      <Tabs.Content value="events" tabIndex={-1}>
        <EventsPanel entries={entries} lines={lines} seq={view.seq} onSeq={playhead.moveTo} />
      </Tabs.Content>
      <Tabs.Content value="chart" tabIndex={-1}>
        <Statechart visits={view.visits} onState={onState} />
      </Tabs.Content>
    </Tabs.Root>
  );
};

interface RowsProps {
  readonly tree: RunTree;
  readonly facts: readonly TreeFact[];
  readonly playhead: Playhead;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The visible rows, and the selected one: of the address, or the one that explains the run best. */
const useRows = ({ tree, facts, playhead: { at, place, subRun, row: named }, now }: RowsProps) => {
  const [folding, setFolding] = useState<Readonly<Record<string, boolean>>>({});
  const all = useMemo(() => spineOf(tree, now, () => true), [tree, now]);
  const selected = useMemo(() => {
    const chosen = named === undefined ? undefined : all.find(({ key }) => key === named);
    if (chosen) return chosen;
    const own = all.filter(({ runId }) => runId === (subRun ?? tree.run.runId));
    const isAtPlace = (row: SpineRow): boolean => row.place?.phase === place?.phase && row.place?.path === place?.path;
    if (place) {
      const there = own.filter(isAtPlace);
      const found = there.find(({ seq }) => seq === at) ?? there.findLast(({ seq }) => seq <= (at ?? Infinity)) ?? there[0];
      if (found) return found;
      const inPlan = own.find((row) => row.place?.phase === place.phase && pipelineOf(row.place.path) === pipelineOf(place.path));
      if (inPlan) return { ...inPlan, place, kind: 'guard' as const };
    }
    if (at !== undefined) return ofLine(own, at);
    const worst = worstFactOf(facts);
    const explains = (row: SpineRow): boolean => row.isFact === true && row.runId === worst?.runId && row.seq === worst.seq;
    return all.find(explains) ?? own.findLast(({ kind }) => kind === 'step') ?? all[0];
  }, [all, facts, at, place, subRun, named, tree.run.runId]);
  const rows = useMemo(
    () => spineOf(tree, now, (key, byDefault) => folding[key] ?? (byDefault || isAbove(all, key, selected?.key))),
    [tree, now, folding, all, selected?.key],
  );
  const onFold = useCallback((key: string, isOpen: boolean) => setFolding((before) => ({ ...before, [key]: isOpen })), []);
  return { rows, selected, onFold };
};

/** The row of a line: the last one that had started; a step only if nothing of it had. */
const ofLine = (rows: readonly SpineRow[], line: number): SpineRow | undefined => {
  const inside = rows.filter(({ kind, seq }) => kind !== 'step' && seq <= line);
  return inside.reduce<SpineRow | undefined>((last, row) => (last && last.seq > row.seq ? last : row), undefined) ?? rows[0];
};

/** Whether the selected row is below another one, which is opened then. */
const isAbove = (all: readonly SpineRow[], key: string, selected: string | undefined): boolean => {
  const [from, to] = [all.findIndex((row) => row.key === key), all.findIndex((row) => row.key === selected)];
  const depth = all[from]?.depth ?? 0;
  return from !== -1 && to > from && all.slice(from + 1, to + 1).every((row) => row.depth > depth);
};

/** A run at the point in time of the address: its tree, and the selected row in detail. */
export const RunPage = ({ runId = '' }: { readonly runId?: string }) => {
  const run = useRun(runId);
  const summary = useGet<RunSummary>(runPath(runId));
  if (run.state === 'failed' && run.error)
    return (
      <div className="page">
        <ErrorNotice error={run.error} />
      </div>
    );
  if (run.count > 0 && summary.state === 'loaded') return <OpenRun key={runId} summary={summary.value} run={run} />;
  return <Waiting noun="the run" />;
};

/** Goes once to the tool call that the address names, as soon as its line is loaded. */
const useCallInAddress = (entries: readonly StudioEntry[], lines: number, moveTo: (seq: number) => void): void => {
  const [query, setQuery] = useQuery();
  const call = query.get('call');
  const found = useRef<string>(undefined);
  useEffect(() => {
    if (call === null || found.current === call) return;
    const isStart = (one: StudioEntry): boolean =>
      one.kind === 'event' && one.event.type === 'tool-start' && one.event.toolCallId === call;
    const entry = entries.slice(0, lines).findLast(isStart);
    if (!entry) return;
    found.current = call;
    setQuery({ call: undefined });
    moveTo(entry.seq);
  }, [call, entries, lines, moveTo, setQuery]);
};

/** The time of day, each second while something is under way. */
const useNow = (isUnderWay: boolean): number => {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isUnderWay) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isUnderWay]);
  return now;
};
