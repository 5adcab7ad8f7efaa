import { Wrench } from 'lucide-react';
import { Badge } from '../components/badge.js';
import { Value } from '../components/fact-list.js';
import { InertText } from '../components/inert-text.js';
import type { Tone } from '../components/signal.js';
import type { ToolCall } from '../fold/run-view.js';
import './tool-row.css';

const tones: Readonly<Record<ToolCall['outcome'], Tone>> = {
  asked: 'out',
  running: 'out',
  result: 'pass',
  reused: 'pass',
  error: 'trip',
  denied: 'trip',
  suspended: 'edit',
};

const words: Readonly<Record<ToolCall['outcome'], string>> = {
  asked: 'requested',
  running: 'running',
  result: 'done',
  reused: 'done, result reused',
  error: 'failed',
  denied: 'declined',
  suspended: 'waiting for approval',
};

/** A tool call: its arguments, and its outcome. */
export const ToolRow = ({ call: { toolName, args, result, outcome } }: { readonly call: ToolCall }) => (
  <details className="tool">
    <summary>
      <Wrench size={14} aria-hidden />
      <code>
        <InertText text={toolName} />
      </code>
      <Badge tone={tones[outcome]}>{words[outcome]}</Badge>
    </summary>
    <div className="tool-body">
      <h4>Arguments</h4>
      <Value value={args ?? 'none'} />
      {result !== undefined && (
        <>
          <h4>Result</h4>
          <Value value={result} />
        </>
      )}
    </div>
  </details>
);
