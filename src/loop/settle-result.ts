import type { ToolCall, ToolOutcome } from './tool-call.js';
import type { StepRecord } from './ports.js';
import { conversationFields, stepFields } from './conversation.js';
import type { Run } from './run.js';
import { followResponse, snapshotResponse } from './follow-response.js';
import { emitJudged, isGuarded, judge, judgeForm } from './judge.js';
import { fieldsIn, isSame, originalOf } from '../phase/plain-data.js';
import type { PhaseData } from '../phase/row.js';
import type { Outcome } from './activity.js';
import { agentChunk } from './emit.js';
import { snapshotValue } from './response.js';
import { toolResultRecord } from './step-record.js';

/** The result of a call, the error of its tool, or the reason why the tool did not run. */
type CallEnd = Extract<ToolOutcome, { kind: 'result' | 'error' | 'denied' }>;

const valueOf = (end: CallEnd): unknown => (end.kind === 'result' ? end.result : end.kind === 'error' ? end.error : end.reason);

/** Puts the end of a call into the conversation. */
export const insertEnd = ({ scope, options, state: { list } }: Run, call: ToolCall, end: CallEnd) => {
  const { messages } = scope.host;
  options.ports.messages.setToolOutcome(list, call, end);
  const isStray = call.providerExecuted === true && !messages.readToolResult(list, call.toolCallId).found;
  return {
    /**
     * The current result, or the text of the error, because guards replace it in the conversation; undefined if they removed it.
     *
     * @param judged represents a provider's result whose call is missing from the conversation: the call may be older
     */
    read: (judged?: unknown) => {
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
  /** Whether a guard edited it. */
  readonly isEdited?: boolean;
  /** Emits the output of the tool that waited for the verdict. If guards edited the result, the output is not emitted. */
  readonly release?: () => Promise<Outcome | undefined>;
}

/**
 * Adds the end of a tool call to the conversation and has guards judge it, an error and a reason by their text. The run emits and records
 * their version. An end that they removed from the conversation is not reported. Returns an outcome if they stop on it.
 */
export const settleEnd = async (run: Run, record: StepRecord, ended: EndedCall): Promise<Outcome | undefined> => {
  const { call, end } = ended;
  const isResult = end.kind === 'result';
  const inserted = insertEnd(run, call, isResult ? { ...end, modelOutput: undefined } : { kind: 'error', error: valueOf(end) });
  const before = isGuarded(run, 'toolResult') ? snapshotResponse(run) : undefined; // its guards get the whole conversation
  const given = isResult ? end.result : inserted.read()?.result;
  const original = before && (originalOf(given) ?? snapshotValue(undefined, given)); // guards may edit it in place
  const judged = await judge<'toolResult'>(run, resultPayload(run, ended, given));
  if (judged.outcome) return judged.outcome;
  const current = inserted.read(judged.data.result);
  if (current) {
    const isEdited = before !== undefined && !isSame(snapshotValue(original, current.result), original);
    const { outcome, isRemoved, ...read } = await judgeModelOutput(run, { ...ended, isEdited }, current.result);
    if (outcome) return outcome;
    const left = endWith(end, given, { result: current.result, ...read });
    const stop = isRemoved ? undefined : await emitAccepted(run, record, { ...ended, isEdited, end: left });
    if (stop) return stop;
  }
  if (before) await followResponse(run, before, call.toolCallId);
  return undefined;
};

/** Emits an accepted end, after the output of its tool. */
const emitAccepted = async (run: Run, record: StepRecord, ended: EndedCall): Promise<Outcome | undefined> =>
  (ended.isEdited ? undefined : await ended.release?.()) ?? emitEnd(run, record, ended);

const resultPayload = (run: Run, { call, end }: EndedCall, result: unknown): PhaseData<'toolResult'> => {
  const { toolName, toolCallId, args, providerExecuted } = call;
  return {
    phase: 'toolResult',
    ...conversationFields(run),
    ...stepFields(run),
    toolName,
    toolCallId,
    args,
    result,
    providerExecuted,
    ...(end.kind !== 'result' && { isError: true }),
  };
};

interface JudgedOutput {
  readonly outcome?: Outcome;
  readonly modelOutput?: unknown;
  /** Whether a guard removed the result from the conversation. */
  readonly isRemoved?: boolean;
}

/**
 * Has guards judge what the model reads in place of a result, as if it were the result. If a guard edited the result, the model's form is
 * that of the edited one. If a guard cannot judge the model's form, or replaces it by something else, the model reads the result itself.
 */
const judgeModelOutput = async (run: Run, { call, end, isEdited }: EndedCall, result: unknown): Promise<JudgedOutput> => {
  if (end.kind !== 'result' || call.providerExecuted) return {};
  const modelOutput = (isEdited ? undefined : end.modelOutput) ?? (await run.options.ports.toModelOutput?.(call, result));
  const isRepeated = isSame(fieldsIn(modelOutput)['value'], result);
  if (modelOutput === undefined || isRepeated || !isGuarded(run, 'toolResult')) return { modelOutput };
  const form = { call, end: { kind: 'result', result: modelOutput } } as const;
  const inserted = insertEnd(run, call, form.end);
  const judged = await judgeForm<'toolResult'>(run, resultPayload(run, form, modelOutput));
  if (judged?.outcome) return judged;
  const left = inserted.read();
  return left ? { modelOutput: judged && formOf(left.result) } : { isRemoved: true };
};

/** Only an object with a type is a form for the model. */
const formOf = (value: unknown): unknown => (typeof fieldsIn(value)['type'] === 'string' ? value : undefined);

/** Emits and records an end, and puts it into the conversation as the stream's guards left it. */
const emitEnd = async (run: Run, record: StepRecord, ended: EndedCall): Promise<Outcome | undefined> => {
  const { call, end, payload } = ended;
  const shown = shownEnd(run, ended);
  const { outcome, edited } = await emitJudged(run, endChunk(run, call, { end: shown, payload }));
  if (outcome) return outcome;
  const { providerMetadata, approval, ...own } = edited.payload as CallEnd & EndFields;
  const isShown = 'result' in own && own.result === valueOf(shown);
  const left = { ...end, ...own, ...(isShown && { result: valueOf(end) }) } as CallEnd; // it keeps its type
  const isEdited = valueOf(left) !== valueOf(end);
  const modelOutput = providerMetadata?.mastra?.modelOutput;
  if (end.kind !== 'result' || left.kind !== 'result') {
    insertEnd(run, call, left.kind === 'denied' ? { ...left, reason: String(approval?.reason) } : left);
    return undefined;
  }
  const isStale = isEdited && modelOutput === end.modelOutput; // a guard edited only the result: the model reads that
  if (isEdited || !call.providerExecuted) insertEnd(run, call, { ...left, modelOutput: isStale ? undefined : modelOutput });
  record.toolResults.push(toolResultRecord(run, call, left.result));
  return undefined;
};

/** An end for readers: of an unedited result the original, because a copy of that needs no comparison. */
const shownEnd = (run: Run, { end, isEdited }: EndedCall): CallEnd =>
  end.kind !== 'result' || isEdited || isGuarded(run, 'outputStream')
    ? end
    : { ...end, result: originalOf(end.result) ?? end.result };

interface EndFields {
  readonly providerMetadata?: { readonly mastra?: { readonly modelOutput?: unknown } };
  readonly approval?: { readonly reason?: unknown };
}

/** The end of a call as guards left it in the conversation. */
const endWith = (end: CallEnd, given: unknown, left: Omit<Extract<CallEnd, { kind: 'result' }>, 'kind'>): CallEnd => {
  if (end.kind === 'result') return { ...end, ...left };
  if (left.result === given) return end;
  const text = String(left.result);
  return end.kind === 'denied' ? { kind: 'denied', reason: text } : { kind: 'error', error: new Error(text) };
};

const endChunk = (run: Run, call: ToolCall, { end, payload }: Pick<EndedCall, 'end' | 'payload'>) => {
  const { toolCallId, toolName, args } = call;
  if (end.kind === 'error') return agentChunk(run, 'tool-error', { toolCallId, toolName, args, error: end.error });
  if (end.kind === 'denied') {
    const approval = { id: toolCallId, approved: false, reason: end.reason };
    return agentChunk(run, 'tool-output-denied', { toolCallId, toolName, args, approval });
  }
  const { modelOutput } = end;
  return agentChunk(run, 'tool-result', {
    ...payload,
    ...fieldsIn(toolResultRecord(run, call, end.result).payload),
    ...(modelOutput !== undefined && { providerMetadata: { mastra: { modelOutput } } }), // as in Mastra
  });
};
