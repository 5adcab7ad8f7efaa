import { stateName } from './format.js';
import './pills.css';
import type { Visit } from '../../fold/run-view.js';

interface PillsProps {
  readonly visits: readonly Visit[];
  /** The line of the point in time. Default: the last. */
  readonly seq?: number;
  /** Goes to the moment of a state; without it they only show it. */
  readonly onSeq?: (seq: number) => void;
}

/** More than these do not fit; the first and the latest are the most useful. */
const most = 24;

/** The states that the run went through, in order; each leads to its moment. */
export const Pills = ({ visits, seq = Infinity, onSeq }: PillsProps) => {
  const cut = Math.max(0, visits.length - most);
  const shown = cut === 0 ? visits : [...visits.slice(0, 4), ...visits.slice(cut + 4)];
  const here = visits.findLast((visit) => visit.seq <= seq);
  return (
    <ol className="pills" aria-label="States of the loop">
      {shown.map((visit, index) => (
        <li key={visit.seq} className={cut > 0 && index === 4 ? 'pills-cut' : undefined}>
          <button
            type="button"
            title={visit.state}
            disabled={onSeq === undefined}
            aria-current={visit === here ? 'step' : undefined}
            className={`${visit.seq > seq ? 'pill-later' : ''} ${/trip|fail/.test(visit.state) ? 'pill-stop' : ''}`}
            onClick={() => onSeq?.(visit.seq)}
          >
            {stateName(visit.state)}
          </button>
        </li>
      ))}
    </ol>
  );
};
