import type { Catalog, StateInfo } from '../../protocol/catalog.js';
import type { ChartPosition } from '../fold/chart-position.js';

interface StationLineProps {
  readonly machine: Catalog['machine'];
  readonly position: ChartPosition;
}

const nameOf = ({ path }: StateInfo): string => path.split('.').slice(-1).join();

/** A state stands on the line where it was entered, or can be on the way to the end. */
const isStation = ({ type }: StateInfo): boolean => type === 'atomic' || type === 'final';

/** The states that the run has been in and is in, in the machine's order: a small line of stations. */
export const StationLine = ({ machine, position }: StationLineProps) => {
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
