import type { PhaseData } from '../../phase/row.js';
import { afterStep, conversationFields, stepFields, clearFeedback, stepFeedbackTag } from '../conversation.js';
import { addWritten, isChunk } from '../emit.js';
import { dropFallen } from '../fallen-stand-ins.js';
import { resultOfCall, unquoting } from '../guarded-stream.js';
import { argumentsOf } from '../../stream/gate/chunk.js';
import { followResponse, snapshotResponse, resend } from '../follow-response.js';
import { isGuarded, judge, judgeWith, failWith, type Judged } from '../judge.js';
import type { Outcome } from '../activity.js';
import type { StepRecord } from '../ports.js';
import type { ProviderResult, ToolCall } from '../tool-call.js';
import { changeAttempt, currentAttempt, acceptedSteps, isOver, type Attempt, type Run } from '../run.js';
import { acceptedParts, recordStep, responseParts, responseStep, stripQuotedMetadata, toolResultRecord } from '../step-record.js';
import { findToolPart } from '../response.js';
import { insertEnd, settleEnd } from '../settle-result.js';
import { fieldsIn, isSame } from '../../phase/plain-data.js';
import { whenReady, type Awaitable, attempted } from '../../phase/awaitable.js';
import type { Plan } from '../../pipeline/graph.js';
import { addPayloadTransforms } from '../persist-rejected-turn.js';
import { InterlockError, messageOf } from '../../errors.js';

/** Judges the whole response of an attempt, before any of its tools runs. */
export const review = async (run: Run): Promise<Outcome> => {
  const reviewed = currentAttempt(run);
  const before = responseParts(run).length;
  addAnswer(run, reviewed);
  addWritten(run, reviewed);
  const record = recordStep(run, reviewed);
  changeAttempt(run, { record });
  const unjudged = unjudgedInputs(reviewed);
  if (unjudged.length > 0) await (run.options.ports.dropInputs?.(unjudged) ?? resendAttempt(run, reviewed, record));
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
  if (wasEdited) dropFallen(attempt);
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
    chunks: wasEdited ? leftChunks.map(unquoting) : [...leftChunks], // a hook may keep them
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
    if (!own || !isChunk(own, 'tool-result')) continue; // only results are buffered
    const result = own.payload;
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

/**
 * The calls whose streamed arguments differ from the call, or that are not complete: guards of whole responses judge only the calls, so
 * that the content of such a response is sent again.
 */
const unjudgedInputs = ({ answer }: Attempt): string[] => {
  const streamed = Map.groupBy(answer.streamedInput.splice(0), (chunk) => String(argumentsOf(chunk)));
  return [...streamed].flatMap(([id, chunks]) => {
    const call = answer.toolCalls.find(({ toolCallId }) => toolCallId === id);
    const payloads = chunks.map(({ payload }) => fieldsIn(payload));
    const text = payloads.map(({ argsTextDelta = '' }) => argsTextDelta).join('');
    const isNamed = payloads.every(({ toolName }) => toolName === undefined || toolName === call?.toolName);
    return !call || !isNamed || (text !== '' && !isTextOf(text, call.args)) ? [id] : [];
  });
};

const textOf = (args: unknown): string | undefined => (typeof args === 'string' ? args : JSON.stringify(args));

/** Whether a text contains the arguments and nothing else, such as a key twice; spaces between them do not count. */
const isTextOf = (text: string, args: unknown): boolean => {
  if (text === textOf(args)) return true;
  if (text.replaceAll(/\s/g, '') !== textOf(args)?.replaceAll(/\s/g, '')) return false;
  return attempted(() => isSame(JSON.parse(text), args)) ?? false;
};

/** Judges the whole response once, after the loop. */
export const finish = (run: Run): Awaitable<Outcome> => {
  clearFeedback(run);
  clearFeedback(run, stepFeedbackTag); // it is not part of the result
  const { settings } = currentAttempt(run);
  const objectPlan = settings.structuredOutput && run.options.objectPlan?.(settings);
  if (isGuarded(run, 'outputResult') || objectPlan) return judgeResult(run, objectPlan);
  return whenReady(addPayloadTransforms(run), () => accept(run));
};

const judgeResult = async (run: Run, objectPlan: Plan | undefined): Promise<Outcome> => {
  const snapshots = snapshotResponse(run);
  let judged: Judged<'outputResult'> = await judge(run, resultPayload(run));
  if (judged.data && objectPlan) judged = await judgeWith(run, objectPlan, judged.data);
  if (judged.outcome) return judged.outcome;
  await followResponse(run, snapshots);
  await addPayloadTransforms(run);
  return accept(run);
};

const accept = (run: Run): Outcome => {
  run.change({ isResultAccepted: true });
  return { kind: 'done' };
};

/** The payload of the result phase, also used to persist the result. */
export const resultPayload = (run: Run): PhaseData<'outputResult'> => {
  const steps = acceptedSteps(run);
  return {
    phase: 'outputResult',
    ...conversationFields(run, 'response'),
    result: {
      text: steps.map((step) => step.text).join(''),
      usage: { ...run.state.usage },
      finishReason: steps.at(-1)?.finishReason ?? 'unknown',
      steps: stepFields(run).steps,
    },
  };
};

/** Persists accepted responses only; a rejected response never reaches this activity. A failure to persist fails the run. */
export const persist = (run: Run): Awaitable<Outcome> => {
  const { memory } = run.options.lanes;
  addWritten(run, currentAttempt(run));
  return memory ? persistIn(memory, run) : { kind: 'done' };
};

const persistIn = async (memory: Plan, run: Run): Promise<Outcome> => {
  const { outcome } = await judgeWith<'outputResult'>(run, memory, resultPayload(run));
  const failed = outcome && failureOf(run, outcome);
  const error = failed && messageOf(run.state.error);
  if (!isOver(run)) run.recorder.record({ type: 'memory', given: 'answer', ...(error && { error }) });
  return failed ?? { kind: 'done' };
};

const failureOf = (run: Run, outcome: Outcome): Outcome => {
  const { stop } = run.state;
  if (outcome.kind === 'failed' || !stop || stop.kind === 'unavailable') return { kind: 'failed' };
  return failWith(
    run,
    new InterlockError('run/failed', { path: stop.path, detail: `memory rejected the answer: ${stop.reason}.` }),
  );
};
