import type { ToolCall, ToolOutcome } from './tool-call.js';
import type { StepRecord } from './ports.js';
import { conversationFields } from './conversation.js';
import { stepFields, type Run } from './run.js';
import { followResponse, snapshotResponse } from './follow-response.js';
import { emitJudged, isGuarded, judge } from './judge.js';
import type { Outcome } from './activity.js';
import { agentChunk } from './emit.js';
import { toolResultRecord } from './step-record.js';

/** The result of a call, or the error of its tool. */
type CallEnd = Extract<ToolOutcome, { kind: 'result' | 'error' }>;

const valueOf = (end: CallEnd): unknown => (end.kind === 'error' ? end.error : end.result);

/** The place of a call's end in the conversation. */
interface InsertedEnd {
  /**
   * The current result, or the text of the error, because guards replace it in the conversation; undefined if they removed it.
   *
   * @param judged represents a provider's result whose call is missing from the conversation: the call may be older
   */
  read(judged?: unknown): { readonly result: unknown } | undefined;
}

/** Puts the end of a call into the conversation. */
export const insertEnd = ({ list, scope, options }: Run, call: ToolCall, end: CallEnd): InsertedEnd => {
  const { messages } = scope.host;
  options.ports.messages.setToolOutcome(list, call, end);
  const isStray = call.providerExecuted === true && !messages.readToolResult(list, call.toolCallId).found;
  return {
    read: (judged) => {
      const current = messages.readToolResult(list, call.toolCallId);
      if (current.found) return { result: current.result };
      return isStray ? { result: judged } : undefined;
    },
  };
};

interface EndedCall {
  readonly call: ToolCall;
  readonly end: CallEnd;
  /** The provider's other fields of a result. */
  readonly payload?: object;
}

/**
 * Adds the end of a tool call to the conversation and has guards judge it, the error of a tool by its text. The run emits and records
 * their version. An end that they removed from the conversation is not reported. Returns an outcome if they stop on it.
 */
export const settleEnd = async (
  run: Run,
  record: StepRecord,
  { call, end, payload }: EndedCall,
): Promise<Outcome | undefined> => {
  const inserted = insertEnd(run, call, end);
  const before = isGuarded(run, 'toolResult') ? snapshotResponse(run) : undefined; // its guards get the whole conversation
  const given = end.kind === 'error' ? inserted.read()?.result : end.result;
  const { toolName, toolCallId, args, providerExecuted } = call;
  const judged = await judge<'toolResult'>(run, {
    phase: 'toolResult',
    ...conversationFields(run),
    ...stepFields(run),
    toolName,
    toolCallId,
    args,
    result: given,
    providerExecuted,
    ...(end.kind === 'error' && { isError: true }),
  });
  if (judged.outcome) return judged.outcome;
  const current = inserted.read(judged.data.result);
  if (current) {
    const { outcome, edited } = await emitJudged(run, endChunk(run, call, { end: endWith(end, given, current.result), payload }));
    if (outcome) return outcome;
    const left = { ...end, ...(edited.payload as object) } as CallEnd; // it keeps its type
    if (valueOf(left) !== (left.kind === 'error' ? valueOf(end) : current.result)) insertEnd(run, call, left); // a guard edited it
    if (left.kind === 'result') record.toolResults.push(toolResultRecord(run, call, left.result));
  }
  if (before) await followResponse(run, before, { but: toolCallId });
  return undefined;
};

/** The end of a call as guards left it in the conversation. */
const endWith = (end: CallEnd, given: unknown, current: unknown): CallEnd => {
  if (end.kind === 'result') return { ...end, result: current };
  return current === given ? end : { kind: 'error', error: new Error(String(current)) };
};

const endChunk = (run: Run, call: ToolCall, { end, payload }: Pick<EndedCall, 'end' | 'payload'>) => {
  const { toolCallId, toolName, args } = call;
  if (end.kind === 'error') return agentChunk(run, 'tool-error', { toolCallId, toolName, args, error: end.error });
  return agentChunk(run, 'tool-result', { ...payload, ...(toolResultRecord(run, call, end.result).payload as object) });
};
