import { MarkBadge, markName } from '../../components/guard-mark-row.js';
import { InertText } from '../../components/inert-text.js';
import type { GuardMark, Lane } from '../../fold/run-view.js';

interface LaneTrackProps {
  readonly lane: Lane;
  readonly onSeq: (seq: number) => void;
}

const nameOf = (state: string): string => state.slice(state.lastIndexOf('.') + 1);

/** What stands out: verdicts that were more than a pass, and what was said about a block. */
const standsOut = (mark: GuardMark): boolean =>
  mark.kind === 'verdict' || mark.kind === 'shadow' ? mark.verdict !== 'pass' : true;

/** More than these nobody reads. */
const mostSignals = 12;

const Signals = ({ lane, onSeq }: LaneTrackProps) => {
  const marks = lane.marks.filter(standsOut);
  if (marks.length === 0) return null;
  return (
    <ul className="lane-signals" aria-label="Verdicts that stand out">
      {marks.slice(-mostSignals).map((mark) => (
        <li key={`${mark.seq} ${mark.path}`}>
          <button type="button" onClick={() => onSeq(mark.seq)}>
            <InertText text={markName(mark)} /> <MarkBadge mark={mark} />
          </button>
        </li>
      ))}
      {marks.length > mostSignals && <li className="lane-more">and {marks.length - mostSignals} before</li>}
    </ul>
  );
};

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
    <Signals lane={lane} onSeq={onSeq} />
  </div>
);
