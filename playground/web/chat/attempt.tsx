import { RotateCcw } from 'lucide-react';
import { Badge } from '../components/badge.js';
import { InertText } from '../components/inert-text.js';
import { PartText } from '../components/part-text.js';
import type { GuardMark, Lane } from '../fold/run-view.js';
import { ModelWrote } from './model-wrote.js';
import { ToolRow } from './tool-row.js';

interface AttemptProps {
  readonly runId: string;
  readonly lane: Lane;
  readonly isLive: boolean;
  readonly isLast: boolean;
}

/** Parts that are words for the person; what a tool is called with stands in the call. */
const isSpoken = /^(text|reasoning)$/;

const sentBackBy = ({ marks }: Lane): Extract<GuardMark, { kind: 'verdict' | 'shadow' }> | undefined => {
  const mark = marks.findLast((found) => found.kind === 'verdict' && found.verdict === 'retry');
  return mark?.kind === 'verdict' ? mark : undefined;
};

/** Says that an attempt was sent back, by whom and why. */
const SentBack = ({ lane }: { readonly lane: Lane }) => {
  const guard = sentBackBy(lane);
  return (
    <p className="sent-back">
      <Badge tone="retry" icon={RotateCcw}>
        attempt {lane.attempt} sent back
      </Badge>
      {guard && (
        <span>
          <InertText text={guard.processorId} />
          {guard.reason !== undefined && (
            <>
              : <InertText text={guard.reason} />
            </>
          )}
        </span>
      )}
    </p>
  );
};

/** One attempt at an answer: its words and its calls of tools. */
export const Attempt = ({ runId, lane, isLive, isLast }: AttemptProps) => {
  const parts = lane.parts.filter(({ kind }) => isSpoken.test(kind));
  const wasSentBack = lane.reason === 'retry';
  if (parts.length === 0 && lane.tools.length === 0 && !wasSentBack) return null;
  return (
    <div className={`attempt ${wasSentBack ? 'attempt-back' : ''}`}>
      {wasSentBack && <SentBack lane={lane} />}
      {parts.map((part) => (
        <PartText key={part.partId} part={part} lane={lane} isLive={isLive && isLast} />
      ))}
      {lane.reason !== undefined && <ModelWrote runId={runId} lane={lane} />}
      {lane.tools.map((call) => (
        <ToolRow key={call.toolCallId} call={call} />
      ))}
    </div>
  );
};
