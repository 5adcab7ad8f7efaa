import type { ModelMessage } from 'ai';
import type { ToolCall } from '../loop/tool-call.js';
import { honours } from './adapters.js';
import type { ApprovedInput, RuledCalls } from './run-state.js';
import { judgeCalls } from './judge-calls.js';
import { judgeInput } from './judge.js';
import type { Run } from './run.js';
import type { AnyMessage } from './spec.js';
import { systemOf } from './step.js';

type Part = Exclude<ModelMessage['content'], string>[number];

const partsIn = ({ content }: AnyMessage): readonly Part[] => (typeof content === 'string' ? [] : content);

/** The calls that the AI SDK runs before its first step, because the last message approves them; by their ids. */
export const approvedCalls = (messages: readonly ModelMessage[]): ReadonlyMap<string, ToolCall> => {
  const last = messages.at(-1);
  const approvals = last?.role === 'tool' ? last.content.flatMap((part) => (isApproval(part) ? part.approvalId : [])) : [];
  if (approvals.length === 0) return new Map();
  const parts = messages.flatMap((message) => (message.role === 'assistant' ? partsIn(message) : []));
  const ids = new Set(
    parts.flatMap((part) =>
      part.type === 'tool-approval-request' && approvals.includes(part.approvalId) ? part.toolCallId : [],
    ),
  );
  return new Map(
    parts.flatMap((part) => {
      if (part.type !== 'tool-call' || part.providerExecuted || !ids.has(part.toolCallId)) return [];
      const { toolCallId, toolName, input } = part;
      return [[toolCallId, { toolCallId, toolName, args: input }] as const];
    }),
  );
};

const isApproval = (part: Part): part is Extract<Part, { type: 'tool-approval-response' }> =>
  part.type === 'tool-approval-response' && part.approved;

/**
 * Judges a call that a person approved, before its tool runs: no model of this run made it, and a client may have written it. The guards
 * of the input judge first; then, if the run's model is guarded, those of a step, with all approved calls as its response.
 */
export const judgeApproved = async (
  run: Run,
  messages: readonly ModelMessage[],
  { call, approved }: { readonly call: ToolCall; readonly approved: ReadonlyMap<string, ToolCall> },
): Promise<RuledCalls> => {
  const own = openApproved(run, messages);
  const before = withoutCalls(await own.input, approved);
  if (!run.adapters.has('withGuards')) return judgeCalls(run, before, [call]);
  return (own.calls ??= judgeCalls(run, before, [...approved.values()]));
};

/** The tools of one conversation run at the same time: it is judged once. */
const openApproved = (run: Run, messages: readonly ModelMessage[]): ApprovedInput => {
  if (run.state.approved?.messages === messages) return run.state.approved;
  const { instructions } = run.state;
  const given = [...systemOf(instructions), ...messages];
  const approved: ApprovedInput = { messages, instructions, given, input: judgeFirst(run, given), calls: undefined };
  run.change({ approved });
  return approved;
};

const judgeFirst = async (run: Run, given: readonly AnyMessage[]): Promise<readonly AnyMessage[]> => {
  if (!honours(run, 'input')) return given;
  const judged = await judgeInput(run, given, 'toPrepareStep');
  if (!run.adapters.has('toPrepareStep')) run.change({ input: undefined }); // the model's guards judge the prompt made of them
  return judged;
};

/** The conversation before the calls. */
const withoutCalls = (messages: readonly AnyMessage[], calls: ReadonlyMap<string, ToolCall>): AnyMessage[] =>
  messages.flatMap((message) => {
    if (message.role !== 'assistant' && message.role !== 'tool') return [message];
    if (typeof message.content === 'string') return [message];
    const content = partsIn(message).filter((part) => !('toolCallId' in part && calls.has(part.toolCallId)) && !isApproval(part));
    return content.length > 0 ? [{ ...message, content } as AnyMessage] : []; // some of its own parts
  });
