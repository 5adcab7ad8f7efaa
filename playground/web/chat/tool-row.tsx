import { Bot, Wrench } from 'lucide-react';
import { tellTool } from '../../fold/facts.js';
import type { ToolCall } from '../../fold/run-view.js';
import { Badge } from '../components/badge.js';
import { Value } from '../components/fact-list.js';
import { InertText } from '../components/inert-text.js';
import './tool-row.css';

/** A tool call: its arguments, and its outcome. One that is not as usual is open. */
export const ToolRow = ({ call }: { readonly call: ToolCall }) => {
  const { toolName, args, result, error, rejectedBy } = call;
  const { tone, word, isFact } = tellTool(call);
  const Icon = toolName.startsWith('agent-') ? Bot : Wrench;
  return (
    <details className="tool" open={isFact}>
      <summary>
        <Icon size={14} aria-hidden />
        <code>
          <InertText text={toolName} />
        </code>
        <Badge tone={tone}>{rejectedBy === undefined ? word : `rejected by ${rejectedBy}`}</Badge>
      </summary>
      <div className="stack-s tool-body">
        {error !== undefined && <InertText text={error} />}
        {rejectedBy === undefined && (
          <>
            <h4 className="faint tiny">Arguments</h4>
            <Value value={args ?? 'none'} />
          </>
        )}
        {result !== undefined && (
          <>
            <h4 className="faint tiny">Result</h4>
            <Value value={result} />
          </>
        )}
      </div>
    </details>
  );
};
