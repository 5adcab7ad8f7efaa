import type { PhaseData } from '../../phase/row.js';
import { afterStep, conversationFields, stepFields } from '../conversation.js';
import { addWritten } from '../emit.js';
import { dropFallen } from '../fallen-stand-ins.js';
import { hasUnjudgedInput, resultOfCall, unquoting } from '../guarded-stream.js';
import { followResponse, snapshotResponse, resend } from '../follow-response.js';
import { isGuarded, judge } from '../judge.js';
import type { Outcome } from '../activity.js';
import type { StepRecord } from '../ports.js';
import type { ToolCall } from '../tool-call.js';
import { changeAttempt, currentAttempt, type Attempt, type Run } from '../run.js';
import { acceptedParts, recordStep, responseParts, responseStep, stripQuotedMetadata, toolResultRecord } from '../step-record.js';
import { findToolPart, type ProviderResult } from '../response.js';
import { insertEnd, settleEnd } from '../settle-result.js';

/** Judges the whole response of an attempt, before any of its tools runs. */
export const review = async (run: Run): Promise<Outcome> => {
  const reviewed = currentAttempt(run);
  const before = responseParts(run).length;
  addAnswer(run, reviewed);
  addWritten(run, reviewed);
  const record = recordStep(run, reviewed);
  changeAttempt(run, { record });
  if (hasUnjudgedInput(reviewed)) await resendAttempt(run, reviewed, record);
  const attempt = currentAttempt(run);
  const stopped = (await settleProviderResults(run, attempt, record)) ?? (await observe(run, record));
  if (stopped) return stopped;
  changeAttempt(run, { partCount: responseParts(run).length - before });
  const snapshots = isGuarded(run, 'outputStep') ? snapshotResponse(run) : undefined;
  const judged = await judge<'outputStep'>(run, stepPayload(run, attempt, record));
  if (judged.outcome) return judged.outcome;
  if (snapshots) await followResponse(run, snapshots);
  if (addWritten(run, attempt)) changeAttempt(run, { partCount: responseParts(run).length - acceptedParts(run) });
  run.change({ steps: [...run.state.steps, record] });
  const toolCalls = record.toolCalls.filter((call) => !call.providerExecuted).length;
  if (toolCalls > 0) return { kind: 'reviewed', toolCalls };
  const { shouldContinue, outcome } = await afterStep(run, false);
  return outcome ?? { kind: 'reviewed', toolCalls, ...(shouldContinue && { shouldContinue }) };
};

const resendAttempt = async (run: Run, attempt: Attempt, record: StepRecord): Promise<void> => {
  const step = responseStep(attempt, record);
  await resend(run, [{ step, end: undefined, own: attempt.answer.parts, before: [], isChanged: true }]);
  changeAttempt(run, { place: step.place });
};

const addAnswer = (run: Run, attempt: Attempt): void => {
  const { answer, entry, wasEdited } = attempt;
  const { list } = run.state;
  dropFallen(attempt);
  for (const growing of Object.values(answer.growing)) growing.clear(); // their pieces take as much memory as the texts
  if (answer.parts.length === 0) return;
  if (wasEdited) stripQuotedMetadata(answer.parts); // also the metadata of chunks from before the edit
  const { modelId, provider } = entry.model;
  const traceId = run.options.tracer?.ids.traceId;
  run.options.ports.messages.addResponse(list, {
    id: run.state.messageId,
    role: 'assistant',
    createdAt: new Date(run.options.ports.wallClock()),
    content: { format: 2, parts: [...answer.parts], metadata: { modelId, provider, ...(traceId && { traceId }) } },
  });
};

/** Shows the response to guards that observe it, as earlier guards left it: a cache must not keep what they removed. */
const observe = async (run: Run, record: StepRecord): Promise<Outcome | undefined> => {
  if (!isGuarded(run, 'llmResponse')) return undefined;
  const attempt = currentAttempt(run);
  const { leftChunks, response, wasEdited } = attempt;
  const { outcome } = await judge<'llmResponse'>(run, {
    phase: 'llmResponse',
    chunks: wasEdited ? leftChunks.map(unquoting) : leftChunks,
    model: attempt.entry.model,
    ...stepFields(run, record),
    fromCache: attempt.cached !== undefined,
    warnings: [...attempt.warnings] as PhaseData<'llmResponse'>['warnings'], // the provider's own
    request: attempt.request ?? {},
    rawResponse: attempt.cached ? attempt.cached.rawResponse : wasEdited ? record.response : response, // the record has no body
    retryCount: run.state.counters.retries,
  });
  leftChunks.length = 0;
  return outcome;
};

const stepPayload = (run: Run, { finish }: Attempt, record: StepRecord): PhaseData<'outputStep'> => ({
  phase: 'outputStep',
  ...conversationFields(run),
  ...stepFields(run, record),
  finishReason: finish?.reason,
  providerMetadata: finish?.providerMetadata as PhaseData<'outputStep'>['providerMetadata'], // the provider's own
  toolCalls: record.toolCalls.map(({ toolName, toolCallId, args }) => ({ toolName, toolCallId, args })),
  text: record.text,
  usage: record.usage,
});

/**
 * Adds results of tools that the provider ran to the conversation, also for calls of earlier steps. If guards judge results, these were
 * buffered and are emitted now.
 */
const settleProviderResults = async (run: Run, attempt: Attempt, record: StepRecord): Promise<Outcome | undefined> => {
  for (const result of attempt.answer.results) {
    const call = callOf(run, result);
    const snapshot = insertEnd(run, call, { kind: 'result', result: result.result }).read(result.result);
    if (snapshot) record.toolResults.push(toolResultRecord(run, call, snapshot.result));
  }
  for (const held of attempt.heldResults) {
    const own = resultOfCall(run, attempt, held);
    if (!own) continue;
    const result = own.payload as ProviderResult; // only results are buffered
    const end = { kind: 'result', result: result.result } as const;
    const known = record.toolResults.length;
    const stop = await settleEnd(run, record, { call: callOf(run, result), end, payload: result });
    if (stop) return stop;
    for (const { type, payload } of record.toolResults.slice(known)) attempt.leftChunks.push({ type, payload });
  }
  return undefined;
};

/** The call that a result belongs to, as the conversation has it. */
const callOf = (run: Run, { toolCallId, toolName, args }: ProviderResult): ToolCall => {
  const parts = run.scope.host.messages.read(run.state.list, 'response').flatMap(({ content }) => content.parts);
  const known = findToolPart(parts, toolCallId)?.toolInvocation;
  return { toolCallId, toolName: known?.toolName ?? toolName, args: known?.args ?? args, providerExecuted: true };
};
