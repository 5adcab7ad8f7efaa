import { WordBadge } from '../components/badge.js';
import { InertText } from '../components/inert-text.js';
import { PartText } from '../components/part-text.js';
import { markName, tellMark, tellTool } from '../../fold/facts.js';
import type { Lane, ToolCall } from '../../fold/run-view.js';
import { ModelWrote } from './edited-text.js';
import { Bot, Wrench } from 'lucide-react';
import { CallBadge, CallValues } from '../components/call.js';
import './tool-row.css';

interface AttemptProps {
  readonly runId: string;
  readonly lane: Lane;
  readonly isLive: boolean;
  readonly isLast: boolean;
}

/** Parts with text for the person; arguments of a tool are in its call. */
const isText = /^(text|reasoning)$/;

/** One attempt at an answer: its text and its tool calls. */
export const Attempt = ({ runId, lane, isLive, isLast }: AttemptProps) => {
  const parts = lane.parts.filter(({ kind }) => isText.test(kind));
  const wasSentBack = lane.reason === 'retry';
  const guard = lane.marks.findLast((mark) => mark.kind === 'verdict' && mark.verdict === 'retry');
  if (parts.length === 0 && lane.tools.length === 0 && !wasSentBack) return null;
  return (
    <div className={`stack-s attempt ${wasSentBack ? 'attempt-back' : ''}`}>
      {wasSentBack && (
        <p className="cluster soft small">
          <WordBadge tone="retry" word={`attempt ${lane.attempt} retried`} />
          {guard && <InertText text={[markName(guard), tellMark(guard).note].filter(Boolean).join(': ')} />}
        </p>
      )}
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

/** A tool call: its arguments, and its outcome. One that is not as usual is open. */
const ToolRow = ({ call }: { readonly call: ToolCall }) => {
  const Icon = call.toolName.startsWith('agent-') ? Bot : Wrench;
  return (
    <details className="tool" open={tellTool(call).isFact}>
      <summary>
        <Icon size={14} aria-hidden />
        <code>
          <InertText text={call.toolName} />
        </code>
        <CallBadge call={call} />
      </summary>
      <div className="stack-s tool-body">
        {call.error !== undefined && <InertText text={call.error} />}
        <CallValues call={call} />
      </div>
    </details>
  );
};
