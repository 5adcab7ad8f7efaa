import { memo } from 'react';
import { Badge } from '../../components/badge.js';
import { count } from '../../components/format.js';
import { useLatestOf } from '../../components/latest-of.js';
import { InertText } from '../../components/inert-text.js';
import { Panel } from '../../components/panel.js';
import type { Tone } from '../../components/signal.js';
import type { Lane, RunView } from '../../fold/run-view.js';
import type { StepReason } from '../../../../schemas/index.js';
import { ToolRow } from '../../chat/tool-row.js';
import { LaneTrack } from './lane-track.js';
import { LaneWords } from './lane-words.js';
import type { Place } from '../use-playhead.js';
import './lanes.css';

const reasons: Readonly<Record<StepReason, { readonly tone: Tone; readonly label: string }>> = {
  stop: { tone: 'pass', label: 'accepted' },
  'tool-calls': { tone: 'pass', label: 'accepted, calls tools' },
  retry: { tone: 'retry', label: 'sent back' },
  tripwire: { tone: 'trip', label: 'stopped' },
  error: { tone: 'trip', label: 'failed' },
};

interface LaneRowProps {
  readonly runId: string;
  readonly lane: Lane;
  readonly isHere: boolean;
  /** The run goes on or waits at the point in time. */
  readonly isOpen: boolean;
  /** The last line that may belong to it. */
  readonly until: number;
  readonly onSeq: (seq: number, place?: Place) => void;
}

const LaneRow = memo(({ runId, lane, isHere, isOpen, until, onSeq }: LaneRowProps) => {
  const reason = lane.reason && reasons[lane.reason];
  return (
    <li className={`lane ${isHere ? 'lane-here' : ''}`} aria-current={isHere ? 'step' : undefined}>
      <div className="lane-head">
        <h3>
          step {lane.stepNumber + 1} <span>attempt {lane.attempt}</span>
        </h3>
        {reason && <Badge tone={reason.tone}>{reason.label}</Badge>}
        {!reason && isOpen && <Badge tone="accent">in progress</Badge>}
      </div>
      <LaneTrack lane={lane} onSeq={onSeq} />
      <LaneWords runId={runId} lane={lane} until={until} />
      {lane.tools.map((call) => (
        <ToolRow key={call.toolCallId} call={call} />
      ))}
      {lane.modelErrors.map((message) => (
        <p key={message} className="lane-error">
          The model’s call failed: <InertText text={message} />
        </p>
      ))}
    </li>
  );
});

interface LanesPanelProps {
  readonly runId: string;
  readonly view: RunView;
  readonly onSeq: (seq: number, place?: Place) => void;
}

/** Attempts one below the other, each with the states that it went through and the words that it let out. */
export const LanesPanel = ({ runId, view, onSeq }: LanesPanelProps) => {
  const { shown, more } = useLatestOf(view.lanes, 'attempts');
  if (shown.length === 0) return null;
  return (
    <Panel title="Attempts" note={count(view.lanes.length, 'attempt')}>
      {more}
      <ol className="lanes">
        {shown.map((lane) => (
          <LaneRow
            key={lane.index}
            runId={runId}
            lane={lane}
            isHere={lane.index === view.lanes.length - 1}
            isOpen={/^(running|suspended)$/.test(view.status)}
            until={(view.lanes[lane.index + 1]?.startSeq ?? view.seq + 1) - 1}
            onSeq={onSeq}
          />
        ))}
      </ol>
    </Panel>
  );
};
