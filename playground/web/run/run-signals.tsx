import { Panel } from '../components/panel.js';
import type { RunView } from '../fold/run-view.js';
import { SignalList, standsOut } from './lanes/signal-list.js';
import type { Place } from './use-playhead.js';

interface RunSignalsProps {
  /** The run as far as it is known. */
  readonly whole: RunView;
  /** The point in time that the page shows. */
  readonly seq: number;
  readonly onSeq: (seq: number, place: Place) => void;
}

/** What is said where no guard did more than pass. */
const quietly = (wasAsked: boolean, isOver: boolean): string => {
  if (!wasAsked) return isOver ? 'No guard was asked.' : 'No guard was asked so far.';
  return isOver ? 'Every guard that was asked let it pass.' : 'Nothing but passes so far.';
};

/** What guards did in the whole run, at a glance: each is a way to its moment. */
export const RunSignals = ({ whole, seq, onSeq }: RunSignalsProps) => {
  const marks = whole.lanes.flatMap((lane) => lane.marks.filter(standsOut));
  const wasAsked = whole.lanes.some((lane) => lane.marks.length > 0 || lane.asked.length > 0);
  const isOver = whole.status !== 'running';
  return (
    <Panel title="What guards did" note={marks.length > 0 ? 'choose one to go to its moment' : undefined}>
      {marks.length === 0 && <p className="run-quiet">{quietly(wasAsked, isOver)}</p>}
      <SignalList label="What guards did" marks={marks} seq={seq} onSeq={onSeq} />
    </Panel>
  );
};
