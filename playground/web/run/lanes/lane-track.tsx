import { signalOf } from '../../components/signal.js';
import { markName } from '../../components/guard-mark-row.js';
import type { GuardMark, Lane } from '../../fold/run-view.js';

interface LaneTrackProps {
  readonly lane: Lane;
  /** First and last line of the whole run. */
  readonly span: readonly [number, number];
  readonly onSeq: (seq: number) => void;
}

const nameOf = (state: string): string => state.slice(state.lastIndexOf('.') + 1);

/** What stands out: verdicts that were more than a pass, and what was said about a block. */
const standsOut = (mark: GuardMark): boolean =>
  mark.kind === 'verdict' || mark.kind === 'shadow' ? mark.verdict !== 'pass' : true;

const lampOf = (mark: GuardMark): string => {
  if (mark.kind === 'verdict' || mark.kind === 'shadow') return signalOf(mark.verdict).tone;
  return mark.kind === 'bypass' ? 'out' : 'edit';
};

/** More buttons than these nobody can hit. */
const maxLamps = 60;

/** The states of an attempt as sections of a track, and signals along it; each leads to its moment. */
export const LaneTrack = ({ lane, span: [first, last], onSeq }: LaneTrackProps) => {
  const place = (seq: number): number => (last === first ? 0 : ((seq - first) / (last - first)) * 100);
  return (
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
      <div className="lane-lamps">
        {lane.marks
          .filter(standsOut)
          .slice(-maxLamps)
          .map((mark) => (
            <button
              key={`${mark.seq} ${mark.path}`}
              type="button"
              className={`lamp lamp-${lampOf(mark)} ${mark.kind === 'verdict' ? '' : 'lamp-dashed'}`}
              style={{ insetInlineStart: `${place(mark.seq)}%` }}
              title={`${markName(mark)}: ${'verdict' in mark ? mark.verdict : mark.kind}`}
              aria-label={`${markName(mark)}: ${'verdict' in mark ? mark.verdict : mark.kind}`}
              onClick={() => onSeq(mark.seq)}
            />
          ))}
      </div>
    </div>
  );
};
