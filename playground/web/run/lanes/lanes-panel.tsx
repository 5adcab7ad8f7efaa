import { memo, use, useState } from 'react';
import './lanes.css';
import { Eye } from 'lucide-react';
import { Badge } from '../../components/badge.js';
import { count } from '../../components/format.js';
import { useLatestOf } from '../../components/latest-of.js';
import { InertText } from '../../components/inert-text.js';
import { Panel } from '../../components/panel.js';
import type { Tone } from '../../components/signal.js';
import type { Lane, RunView, Part } from '../../fold/run-view.js';
import type { StepReason } from '../../../../schemas/index.js';
import { ToolRow } from '../../chat/tool-row.js';
import type { Place } from '../use-playhead.js';
import { SignalList, isNotable } from './signal-list.js';
import { runPath } from '../../../protocol/run-file.js';
import type { Revealed } from '../../../protocol/trace-entry.js';
import { get, runFile } from '../../api/request.js';
import { Button } from '../../components/button.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { PartText } from '../../components/part-text.js';
import { NoWords } from '../no-words.js';

const reasons: Readonly<Record<StepReason, { readonly tone: Tone; readonly label: string }>> = {
  stop: { tone: 'pass', label: 'accepted' },
  'tool-calls': { tone: 'pass', label: 'accepted, tool calls' },
  retry: { tone: 'retry', label: 'retried' },
  tripwire: { tone: 'trip', label: 'stopped' },
  error: { tone: 'trip', label: 'failed' },
};

interface LaneRowProps {
  readonly runId: string;
  readonly lane: Lane;
  readonly isHere: boolean;
  /** The run is under way or waiting at the point in time. */
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
          Model call failed: <InertText text={message} />
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

/** Attempts, each with its states and its released text. */
export const LanesPanel = ({ runId, view, onSeq }: LanesPanelProps) => {
  const { latest, more } = useLatestOf(view.lanes, 'attempts');
  if (latest.length === 0) return null;
  return (
    <Panel title="Attempts" note={count(view.lanes.length, 'attempt')}>
      {more}
      <ol className="lanes">
        {latest.map((lane) => (
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

interface LaneTrackProps {
  readonly lane: Lane;
  readonly onSeq: (seq: number, place?: Place) => void;
}

const nameOf = (state: string): string => state.slice(state.lastIndexOf('.') + 1);

/** The states of an attempt as stations of a track, and the signals along it; each leads to its moment. */
const LaneTrack = ({ lane, onSeq }: LaneTrackProps) => (
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
    <SignalList label="Notable verdicts" marks={lane.marks.filter(isNotable)} onSeq={onSeq} />
  </div>
);

interface LaneWordsProps {
  readonly runId: string;
  readonly lane: Lane;
  /** The last line up to the point in time that may belong to it. */
  readonly until: number;
}

/** Rendering a text at each point in time is slow; of a long one only the growing end is shown. */
const mostChars = 4000;

const isHidden = ({ receivedChars: received, text }: Part): boolean => received > text.length;

/** Requests text that was not released. */
const Reveal = ({ runId, lane, until }: LaneWordsProps) => {
  const [words, setWords] = useState<readonly Revealed[]>();
  const [error, setError] = useState<Error>();
  const ask = () => {
    get<Revealed[]>(`${runPath(runId)}/reveal`)
      .then(setWords)
      .catch((thrown: unknown) => setError(thrown instanceof Error ? thrown : new Error(String(thrown))));
  };
  if (error) return <ErrorNotice error={error} />;
  if (words === undefined)
    return (
      <Button look="quiet" onClick={ask}>
        <Eye size={14} aria-hidden /> Show model output
      </Button>
    );
  const received = words.flatMap(({ seq, text }) => (seq >= lane.startSeq && seq <= until ? [text] : [])).join('');
  return (
    <blockquote className="revealed">
      <p className="revealed-note">Model output up to this time. Some of it was not emitted.</p>
      <InertText text={received === '' ? 'nothing' : received} />
    </blockquote>
  );
};

/** The text of an attempt: emitted, buffered and dropped; text that was not released is shown only after a click. */
const LaneWords = ({ runId, lane, until }: LaneWordsProps) => {
  const parts = lane.parts.filter(({ receivedChars: received, text }) => received > 0 || text !== '');
  const [isWhole, setIsWhole] = useState(false);
  const canReveal = use(NoWords) === undefined && runFile?.hasAllWords !== false;
  if (parts.length === 0) return null;
  const isLong = parts.some(({ text }) => text.length > mostChars);
  return (
    <div className="lane-words">
      {parts.map((part) => (
        <PartText key={part.partId} part={part} lane={lane} mostChars={isWhole ? Infinity : mostChars} />
      ))}
      {isLong && (
        <Button look="quiet" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show end only' : 'Show all'}
        </Button>
      )}
      {canReveal && parts.some(isHidden) && <Reveal runId={runId} lane={lane} until={until} />}
    </div>
  );
};
