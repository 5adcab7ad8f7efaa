import { MarkBadge, markName } from '../../components/guard-mark-row.js';
import { InertText } from '../../components/inert-text.js';
import type { GuardMark } from '../../fold/run-view.js';
import type { Place } from '../use-playhead.js';
import './signal-list.css';

/** Whether a mark is notable: a verdict other than pass, or a report about a block. */
export const isNotable = (mark: GuardMark): boolean =>
  mark.kind === 'verdict' || mark.kind === 'shadow' ? mark.verdict !== 'pass' : true;

interface SignalListProps {
  /** The name of the list for screen readers. */
  readonly label: string;
  readonly marks: readonly GuardMark[];
  /** The point in time; later marks are faint. */
  readonly seq?: number;
  readonly onSeq: (seq: number, place: Place) => void;
}

/** The maximum number of signals that are useful to a reader. */
const mostSignals = 12;

/** Marks as badges; each leads to its moment and selects its place. */
export const SignalList = ({ label, marks, seq = Infinity, onSeq }: SignalListProps) =>
  marks.length > 0 && (
    <ul className="signals" aria-label={label}>
      {marks.length > mostSignals && <li className="signals-more">{marks.length - mostSignals} earlier</li>}
      {marks.slice(-mostSignals).map((mark) => (
        <li key={`${mark.seq} ${mark.path}`} className={mark.seq > seq ? 'signals-later' : ''}>
          <button type="button" onClick={() => onSeq(mark.seq, { phase: mark.phase, path: mark.path })}>
            <InertText text={markName(mark)} /> <MarkBadge mark={mark} />
          </button>
        </li>
      ))}
    </ul>
  );
