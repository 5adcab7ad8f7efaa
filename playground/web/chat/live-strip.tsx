import { useMemo } from 'react';
import { Link } from 'wouter';
import { useCatalog } from '../api/catalog.js';
import { useRun } from '../api/run-readers.js';
import { StatusBadge } from '../components/badge.js';
import { count } from '../components/format.js';
import { GuardMarkRow } from '../components/guard-mark-row.js';
import { chartPosition, type ChartPosition } from '../fold/chart-position.js';
import { strictestMarks } from '../run/guards/judged.js';
import { currentLane, bufferedChars, type GuardMark, type RunView } from '../fold/run-view.js';
import { runHref } from '../shell/run-href.js';
import type { Catalog, StateInfo } from '../../protocol/catalog.js';

const Facts = ({ view }: { readonly view: RunView }) => {
  const lane = currentLane(view);
  const buffered = lane ? lane.parts.reduce((sum, part) => sum + bufferedChars(part, lane), 0) : 0;
  return (
    <p className="strip-facts">
      <StatusBadge status={view.status} />
      {lane && <span>step {lane.stepNumber + 1}</span>}
      {lane && <span>attempt {lane.attempt}</span>}
      {buffered > 0 && <span className="strip-held">{count(buffered, 'character')} buffered</span>}
    </p>
  );
};

/** The maximum number of listed marks. */
const mostMarks = 40;

const latestMarks = ({ lanes }: RunView): readonly GuardMark[] =>
  lanes
    .flatMap(({ marks }) => strictestMarks(marks))
    .slice(-mostMarks)
    .toReversed();

/** The panel next to the conversation: the state of the latest run, and the verdicts of its guards. */
export const LiveStrip = ({ runId }: { readonly runId: string | undefined }) => {
  const { machine, phases } = useCatalog();
  const { fold, count: lines } = useRun(runId);
  const view = fold.at();
  const { visits } = view;
  const position = useMemo(() => chartPosition(visits, machine), [visits, machine]);
  const titleOf = (phase: string): string => phases.find((info) => info.phase === phase)?.title ?? phase;
  return (
    <aside className="strip" aria-label="Live run">
      <div className="strip-head">
        <h2>Live run</h2>
        {runId !== undefined && <Link href={runHref(runId)}>Open run</Link>}
      </div>
      {runId === undefined || lines === 0 ? (
        <p className="strip-empty">Send a message to see its run here.</p>
      ) : (
        <>
          <Facts view={view} />
          <StationLine machine={machine} position={position} />
          <h3>Verdicts, latest first</h3>
          <ul className="strip-guards">
            {latestMarks(view).map((mark) => (
              <GuardMarkRow key={`${mark.seq} ${mark.path}`} mark={mark} phaseTitle={titleOf(mark.phase)} />
            ))}
          </ul>
        </>
      )}
    </aside>
  );
};

interface StationLineProps {
  readonly machine: Catalog['machine'];
  readonly position: ChartPosition;
}

const nameOf = ({ path }: StateInfo): string => path.split('.').slice(-1).join();

/** A state that the line shows: the run can stay in it, or end in it. */
const isStation = ({ type }: StateInfo): boolean => type === 'atomic' || type === 'final';

/** The run's earlier and current states, in the machine's order: a small line of stations. */
const StationLine = ({ machine, position }: StationLineProps) => {
  const stations = machine.states.filter(
    (state) => isStation(state) && (state.parent?.includes('.') !== true || position.visits.has(state.path)),
  );
  return (
    <ol className="stations" aria-label="States of the loop">
      {stations.map((state) => {
        const times = position.visits.get(state.path) ?? 0;
        const isHere = position.active.has(state.path);
        return (
          <li
            key={state.path}
            className={`station ${times > 0 ? 'station-visited' : ''} ${isHere ? 'station-here' : ''}`}
            aria-current={isHere ? 'step' : undefined}
          >
            <span className="station-name">{nameOf(state)}</span>
            {times > 1 && <span className="station-times">{times} times</span>}
          </li>
        );
      })}
    </ol>
  );
};
