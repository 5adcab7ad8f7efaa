import type { AssistantModelMessage, ModelMessage, ToolApprovalResponse } from 'ai';
import type { RunEvent } from '../../../src/index.js';
import { shownRun, type ShownRun } from '../../../src/ai-sdk/guarded-loop.js';
import { openTrace } from './record-run.js';
import type { AnswerCall } from '../../protocol/runs.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import type { GuardedLoop } from '../catalog/known.js';
import { entriesOfChunk } from './entries-of-chunk.js';
import type { RunLog } from './run-log.js';

/** Runs a loop of the AI SDK as its application does. */
export const openLoop = async (
  { log, controller }: { readonly log: RunLog; readonly controller: AbortController },
  loop: GuardedLoop,
  messages: readonly ModelMessage[],
) => {
  const shown: ShownRun = { id: log.runId, openTrace: (run) => openTrace(run, () => log.trace) };
  const result = await loop.stream({ messages, abortSignal: controller.signal, [shownRun]: shown });
  return {
    fullStream: result.fullStream,
    getFullOutput: async () => ({ messages: [...messages, ...(await result.responseMessages)] }),
  };
};

/** Calls of a loop that wait for a person. The AI SDK ends their run; a run of these messages and the answers continues. */
export interface WaitingCalls {
  readonly messages: readonly ModelMessage[];
  readonly calls: readonly { approvalId: string; toolCallId: string; toolName: string; args: unknown }[];
  readonly answers: readonly ToolApprovalResponse[];
}

/** The calls of the last answer that wait for a person; undefined if there are none. Results of its other calls may follow it. */
export const waitingCalls = (messages: readonly ModelMessage[]): WaitingCalls | undefined => {
  const last = messages.findLast(({ role }) => role === 'assistant') as AssistantModelMessage | undefined; // by its role
  const parts = last && typeof last.content !== 'string' ? last.content : [];
  const replies = messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
  const isAnswered = (id: string) => replies.some((part) => part.type === 'tool-approval-response' && part.approvalId === id);
  const calls = parts.flatMap((request) => {
    if (request.type !== 'tool-approval-request' || request.isAutomatic || isAnswered(request.approvalId)) return [];
    const { approvalId, toolCallId } = request;
    return parts.flatMap((part) =>
      part.type === 'tool-call' && part.toolCallId === toolCallId
        ? [{ approvalId, toolCallId, toolName: part.toolName, args: part.input }]
        : [],
    );
  });
  return calls.length > 0 ? { messages, calls, answers: [] } : undefined;
};

/** Shows a run as suspended, with its waiting calls. */
export const showWaiting = (log: RunLog, { calls }: WaitingCalls): void => {
  for (const { approvalId: _, ...payload } of calls)
    for (const fact of entriesOfChunk({ type: 'tool-call-approval', payload }, lastEvent(log))) log.add(fact);
  log.add({ kind: 'status', status: 'suspended' });
};

/** Notes a person's answer. */
export const withAnswer = (log: RunLog, waiting: WaitingCalls, answer: AnswerCall): WaitingCalls => {
  const { toolCallId, approved, reason } = answer;
  const call = waiting.calls.find((one) => one.toolCallId === toolCallId);
  if (!call) return waiting;
  const { approvalId, toolName } = call;
  const last = lastEvent(log);
  const common = { ...last, seq: last.seq + 1, toolCallId };
  const event: RunEvent = approved
    ? { ...common, type: 'run-resume', answer: 'approved' }
    : { ...common, type: 'tool-finish', toolName, outcome: 'denied', durationMs: 0 };
  log.add({ kind: 'event', event });
  const calls = waiting.calls.filter((one) => one !== call);
  log.add({ kind: 'status', status: calls.length > 0 ? 'suspended' : 'success' });
  const response = { type: 'tool-approval-response' as const, approvalId, approved, ...(reason !== undefined && { reason }) };
  return { ...waiting, calls, answers: [...waiting.answers, response] };
};

/** The messages of the run that continues. */
export const continuation = ({ messages, answers }: WaitingCalls): ModelMessage[] => [
  ...messages,
  { role: 'tool', content: [...answers] },
];

/** The position of the log's last event. */
const lastEvent = (log: RunLog) => {
  const events = log
    .linesFrom('entry', 0)
    .map((line) => JSON.parse(line) as StudioEntry) // this studio's own lines
    .flatMap((entry) => (entry.kind === 'event' ? [entry.event] : []));
  const { runId, seq, at, stepNumber, attempt } = events.at(-1) ?? {
    runId: log.runId,
    seq: -1,
    at: 0,
    stepNumber: 0,
    attempt: 1,
  };
  return { runId, seq, at, stepNumber, attempt };
};
