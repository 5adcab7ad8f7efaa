import type { ReactNode } from 'react';
import { tellTool } from '../../fold/facts.js';
import type { ToolCall } from '../../fold/run-view.js';
import { Badge } from './badge.js';
import { Value } from './fact-list.js';

/** The outcome of a tool call. */
export const CallBadge = ({ call }: { readonly call: ToolCall }) => {
  const { tone, word } = tellTool(call);
  return <Badge tone={tone}>{call.rejectedBy === undefined ? word : `rejected by ${call.rejectedBy}`}</Badge>;
};

interface CallValuesProps {
  readonly call: ToolCall;
  /** Instead of its arguments, if a guard rejected it. */
  readonly args?: ReactNode;
}

/** The arguments and the result of a tool call. */
export const CallValues = ({ call, args }: CallValuesProps) => (
  <>
    {(call.rejectedBy === undefined || args) && (
      <>
        <h4>Arguments</h4>
        {args || <Value value={call.args ?? 'none'} />}
      </>
    )}
    {call.result !== undefined && (
      <>
        <h4>Result</h4>
        <Value value={call.result} />
      </>
    )}
  </>
);
