import type { ToolCall } from './tool-call.js';
import type { StepRecord } from './ports.js';
import { type Run, stepsForHooks } from './run.js';
import type { PhaseData } from '../phase/row.js';
import { followResponse, snapshotResponse } from './follow-response.js';
import { emitJudged, isGuarded, judge } from './judge.js';
import type { PartSnapshot } from './late-edits.js';
import type { Outcome } from './activity.js';
import { agentChunk } from './emit.js';
import { toolResultRecord } from './step-record.js';

/** The result of a call. */
interface CallResult {
  readonly call: ToolCall;
  readonly result: unknown;
  /** The provider's other fields of the result. */
  readonly payload?: object;
}

/** A result's place in the conversation. */
interface InsertedResult {
  /**
   * The current result, because guards replace it in the conversation; undefined if they removed it.
   *
   * @param judged represents a provider's result whose call is missing from the conversation: the call may be older
   */
  read(judged: unknown): { readonly result: unknown } | undefined;
}

/** Puts a result into the conversation. */
export const insertResult = (run: Run, { call, result }: CallResult): InsertedResult => {
  const { list } = run;
  const { messages } = run.scope.host;
  run.options.ports.messages.setToolOutcome(list, call, { kind: 'result', result });
  const isStray = call.providerExecuted === true && !messages.readToolResult(list, call.toolCallId).found;
  return {
    read: (judged) => {
      const current = messages.readToolResult(list, call.toolCallId);
      if (current.found) return { result: current.result };
      return isStray ? { result: judged } : undefined;
    },
  };
};

/**
 * Adds a tool's result to the conversation and has guards judge it. The run emits and records their version. A result that they removed
 * from the conversation is not reported. Returns an outcome if they stop on it.
 */
export const settleResult = async (run: Run, record: StepRecord, callResult: CallResult): Promise<Outcome | undefined> => {
  const inserted = insertResult(run, callResult);
  const before = snapshotOf(run);
  const judged = await judge<'toolResult'>(run, resultPayload(run, callResult));
  if (judged.outcome) return judged.outcome;
  const current = inserted.read(judged.data.result);
  if (current) {
    const call = currentCall(record, callResult.call);
    const { payload } = toolResultRecord(run, call, current.result);
    const chunk = agentChunk(run, 'tool-result', { ...callResult.payload, ...(payload as object) });
    const { outcome, edited } = await emitJudged(run, chunk);
    if (outcome) return outcome;
    const { result } = edited.payload as CallResult;
    if (result !== current.result) insertResult(run, { call, result }); // a stream guard edited it
    record.toolResults.push(toolResultRecord(run, call, result));
  }
  return follow(run, callResult.call, before);
};

/** Guards of other results may have edited its name or arguments. */
const currentCall = ({ toolCalls }: StepRecord, call: ToolCall): ToolCall => {
  const { toolName, args } = toolCalls.find(({ toolCallId }) => toolCallId === call.toolCallId) ?? call;
  return { ...call, toolName, args };
};

/** Guards of a result get the whole conversation. */
const snapshotOf = (run: Run): readonly PartSnapshot[] | undefined =>
  isGuarded(run, 'toolResult') ? snapshotResponse(run) : undefined;

const follow = async (run: Run, { toolCallId }: ToolCall, before: readonly PartSnapshot[] | undefined): Promise<undefined> => {
  if (before) await followResponse(run, before, { but: toolCallId });
};

/** The error of a failed tool call. */
interface CallError {
  readonly call: ToolCall;
  readonly error: unknown;
}

/**
 * Adds the text of a tool's error in place of its result; guards that judge errors judge it. The model and the caller get their version.
 * Returns an outcome if they stop on it.
 */
export const settleError = async (run: Run, { call, error }: CallError): Promise<Outcome | undefined> => {
  const { list } = run;
  const { setToolOutcome } = run.options.ports.messages;
  const { readToolResult } = run.scope.host.messages;
  const { toolCallId, toolName, args } = call;
  setToolOutcome(list, call, { kind: 'error', error });
  const { result } = readToolResult(list, toolCallId);
  const before = snapshotOf(run);
  const judged = await judge<'toolResult'>(run, { ...resultPayload(run, { call, result }), isError: true });
  if (judged.outcome) return judged.outcome;
  const current = readToolResult(list, toolCallId);
  if (current.found) {
    const publicError = current.result === result ? error : new Error(String(current.result));
    if (publicError !== error) setToolOutcome(list, call, { kind: 'error', error: publicError });
    const chunk = agentChunk(run, 'tool-error', { toolCallId, toolName, args, error: publicError });
    const { outcome, edited } = await emitJudged(run, chunk);
    if (outcome) return outcome;
    const { error: editedError } = edited.payload as CallError;
    if (editedError !== publicError) setToolOutcome(list, call, { kind: 'error', error: editedError });
  }
  return follow(run, call, before);
};

const resultPayload = (run: Run, { call, result }: CallResult): PhaseData<'toolResult'> => {
  const { list } = run;
  const { messages } = run.scope.host;
  const { toolName, toolCallId, args, providerExecuted } = call;
  return {
    phase: 'toolResult',
    messages: messages.read(list, 'all'),
    messageList: list,
    systemMessages: messages.readSystem(list),
    stepNumber: run.position.stepNumber,
    toolName,
    toolCallId,
    args,
    result,
    providerExecuted,
    steps: stepsForHooks(run),
    retryCount: run.retries,
  };
};
