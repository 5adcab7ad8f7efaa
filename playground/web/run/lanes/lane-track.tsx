import type { Lane } from '../../fold/run-view.js';
import type { Place } from '../use-playhead.js';
import { SignalList, standsOut } from './signal-list.js';

interface LaneTrackProps {
  readonly lane: Lane;
  readonly onSeq: (seq: number, place?: Place) => void;
}

const nameOf = (state: string): string => state.slice(state.lastIndexOf('.') + 1);

/** The states of an attempt as stations of a track, and the signals along it; each leads to its moment. */
export const LaneTrack = ({ lane, onSeq }: LaneTrackProps) => (
  <div className="lane-track">
    <ol className="lane-states" aria-label="States">
      {lane.visits.map(({ state, seq }) => (
        <li key={seq}>
          <button type="button" title={state} onClick={() => onSeq(seq)}>
            {nameOf(state)}
          </button>
        </li>
      ))}
    </ol>
    <SignalList label="Verdicts that stand out" marks={lane.marks.filter(standsOut)} onSeq={onSeq} />
  </div>
);
