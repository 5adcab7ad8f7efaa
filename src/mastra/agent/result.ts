import { waitingChunk } from '../../loop/emit.js';
import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import type { RunEvent } from '../../../schemas/index.js';
import { InterlockError, isInterlockError } from '../../errors.js';
import { finishReasonOf, tripwireOf } from '../../loop/finalize-run.js';
import type { StepRecord, TokenUsage } from '../../loop/ports.js';
import { acceptedSteps, isWithheld, visibleSteps, waitingCalls, type Run, type RunTracer } from '../../loop/run.js';
import type { Author } from '../../verdict.js';
import { fieldsIn } from '../../phase/plain-data.js';
import { objectOf, withTextFields } from '../messages/conversion.js';
import { messagesOf, stepResults } from './step-results.js';

/** The result of a run: the fields of Mastra's result that the loop supports, with status and events. */
export type RunResult = ReturnType<typeof wholeResultOf>;

/** The result of a run that has ended. Copies of it, such as JSON, omit details of the guards unless `serveGuardDetails` is set. */
const resultOf = (run: Run): RunResult => {
  if (run.options.serveGuardDetails) return wholeResultOf(run);
  const result = servedResultOf(run);
  for (const name of ['phase', 'path']) if (result.tripwire) Object.defineProperty(result.tripwire, name, { enumerable: false });
  return withHidden(result, guardDetailsOf(run));
};

/** Adds fields that cannot be enumerated. V8 would rebuild the whole object if an existing field were hidden. */
const withHidden = <T extends object, H extends object>(target: T, hidden: H): T & H => {
  for (const [name, value] of Object.entries(fieldsIn(hidden)))
    Object.defineProperty(target, name, { value, writable: true, configurable: true });
  return target as T & H;
};

/** {@link resultOf} with all details, for the application's own callbacks. */
export const wholeResultOf = (run: Run) => Object.assign(servedResultOf(run), guardDetailsOf(run));

/** Fields about the guards. They can be read, but a server sends them only with `serveGuardDetails`. */
const guardDetailsOf = ({ recorder: { events } }: Run) => ({
  /** Guards that did not judge and whose policy allows that. Empty if every guard judged. */
  bypasses: bypassesOf(events),
  /** The usage of model calls that overlapped with guards and were discarded. */
  wasted: wastedOf(events),
  /** The events of the run, in order. Verdicts of shadow guards may be added after the run has ended. */
  runEvents: events,
});

const servedResultOf = (run: Run) => {
  const { list } = run.state;
  const { runId } = run.options;
  const accepted = isWithheld(run) ? [] : acceptedSteps(run);
  const last = accepted.at(-1);
  const content: unknown[] = isWithheld(run) ? [] : list.get.response.aiV5.stepContent();
  return {
    /** The final status of the run. */
    status: run.state.status ?? ('failed' as const),
    /** Accepted text only, of all steps. */
    text: accepted.map((step) => step.text).join(''),
    /** Every attempt at every step; a rejected one has a `tripwire` and no text. */
    steps: stepResults(run, visibleSteps(run)),
    finishReason: finishReasonOf(run),
    /** Tokens of the whole run, rejected attempts included. */
    usage: usageOf(run),
    totalUsage: usageOf(run),
    /** The reason and the guard of a run that ended as a tripwire. */
    tripwire: run.state.status === 'tripwire' ? tripwireOf(run) : undefined,
    error: run.state.status === 'failed' ? errorOf(run) : undefined,
    ...gathered(accepted),
    ...(isWithheld(run) && { toolCalls: shownCallsOf(run) }),
    content,
    warnings: last?.warnings ?? [],
    request: last?.request ?? {},
    response: responseOf(run, last),
    providerMetadata: last?.providerMetadata,
    ...objectOf(run),
    runId,
    ...traceIdsOf(run),
    ...suspensionOf(run),
    /** The whole conversation after the run. */
    messages: withTextFields(isWithheld(run) ? messagesBefore(list) : list.get.all.db(), list),
    /** The messages that memory added. */
    rememberedMessages: withTextFields(list.get.remembered.db(), list),
  };
};

/** Options of a run's result. */
export interface ResultOptions {
  readonly returnScorerData?: boolean | undefined;
  readonly throwOnTripwire?: boolean | undefined;
}

/** The result of a run for its caller. Raises the error of a failed run, and with `throwOnTripwire` a tripwire as `agent/tripwire`. */
export const answerOf = (run: Run, { returnScorerData, throwOnTripwire }: ResultOptions): RunResult => {
  if (run.state.status === 'failed') throw errorOf(run);
  const result = Object.assign(resultOf(run), returnScorerData && { scoringData: scoringDataOf(run) });
  const { tripwire } = result;
  if (throwOnTripwire && tripwire)
    throw new InterlockError('agent/tripwire', { path: tripwire.processorId, detail: tripwire.reason, cause: tripwire });
  return result;
};

/** The input of scorers: the accepted messages of a run. */
const scoringDataOf = (run: Run): object => {
  const { list } = run.state;
  const { input, remembered, taggedSystemMessages, response } = list.getPersisted;
  const [inputMessages, rememberedMessages] = [input, remembered].map((some) => withTextFields(some.db(), list));
  return {
    input: { inputMessages, rememberedMessages, systemMessages: list.getSystemMessages(), taggedSystemMessages },
    output: isWithheld(run) ? [] : withTextFields(response.db(), list),
  };
};

/** The ids of the run's trace. Undefined without a trace. */
export const traceIdsOf = ({ options: { tracer } }: Run): RunTracer['ids'] =>
  tracer?.ids ?? { traceId: undefined, spanId: undefined };

/** The first waiting call of a suspended run, with its tool's payload, and the JSON schema of its resume data, as text. */
const suspensionOf = (run: Run) => {
  const [waiting] = run.state.status === 'suspended' ? waitingCalls(run) : [];
  const payload: unknown = waiting && waitingChunk(run, waiting).payload;
  return { suspendPayload: payload, resumeSchema: waiting && String(fieldsIn(payload)['resumeSchema']) };
};

/** The calls that a suspended run waits for leave before the rest of its answer. */
const shownCallsOf = ({ state: { attempt, shownCalls, status } }: Run): StepRecord['toolCalls'] =>
  status === 'suspended' ? (attempt?.record?.toolCalls ?? []).filter(({ toolCallId }) => shownCalls.includes(toolCallId)) : [];

/** Combines the steps of an answer. */
const gathered = (steps: readonly StepRecord[]) => {
  const reasoningTexts = steps.flatMap(({ reasoningText }) => (reasoningText === undefined ? [] : [reasoningText]));
  return {
    reasoning: steps.flatMap((step) => step.reasoning),
    reasoningText: reasoningTexts.length > 0 ? reasoningTexts.join('') : undefined,
    toolCalls: steps.flatMap((step) => step.toolCalls),
    toolResults: steps.flatMap((step) => step.toolResults),
    sources: steps.flatMap((step) => step.sources),
    files: steps.flatMap((step) => step.files),
  };
};

/** The provider's data about a step's response, by default the last one, and the messages of the answer in each of Mastra's forms. */
export const responseOf = (
  run: Run,
  step: StepRecord | undefined = acceptedSteps(run).at(-1),
  list = run.state.list,
): ReturnType<typeof messagesOf> & Record<string, unknown> => {
  if (isWithheld(run)) return { messages: [], uiMessages: [], dbMessages: [] };
  return { ...step?.response, ...messagesOf(list) };
};

/** The conversation without what the run has answered. */
const messagesBefore = ({ get }: MessageList): MastraDBMessage[] => {
  const answered = new Set(get.response.db().map(({ id }) => id));
  return get.all.db().filter(({ id }) => !answered.has(id));
};

/** The usage of the run. The provider's raw count cannot be summed, so it is the last step's, as in Mastra. */
export const usageOf = (run: Run): TokenUsage => {
  const raw = acceptedSteps(run).at(-1)?.usage.raw;
  return { ...run.state.usage, ...(raw !== undefined && { raw }) };
};

/**
 * The error of a failed run: the provider's own error of a failed model call, with its `statusCode`. Thrown values that are no
 * errors become the cause of one.
 */
export const errorOf = ({ state: { error } }: Run): Error => {
  if (isInterlockError(error, 'model/call-failed') && error.cause instanceof Error) return error.cause;
  return error instanceof Error ? error : new InterlockError('run/failed', { cause: error });
};

/** The usage of model calls whose responses were discarded, because an overlap guard did not pass. */
const wastedOf = (events: readonly RunEvent[]) => {
  const wasted = events.filter((event) => event.type === 'model-wasted');
  const sumOf = (name: 'durationMs' | 'inputTokens' | 'outputTokens') => wasted.reduce((sum, event) => sum + event[name], 0);
  return {
    calls: wasted.length,
    /** The time that the calls took, in milliseconds. */
    durationMs: sumOf('durationMs'),
    inputTokens: sumOf('inputTokens'),
    outputTokens: sumOf('outputTokens'),
    /** Whether some token counts are estimated: providers report usage only at the end of a response. */
    isEstimated: wasted.some(({ isEstimated }) => isEstimated),
  };
};

/** The number of payloads that a guard let pass without a verdict, and the reason. */
interface GuardBypass extends Author {
  /** `sampled-out`, or the code of the error for which there was no verdict, e.g. `guard/deadline`. */
  readonly reason: string;
  readonly count: number;
}

/** Counts the payloads of a run that passed without a verdict, in order of first occurrence. */
export const bypassesOf = (events: readonly RunEvent[]): GuardBypass[] => {
  const sums = new Map<string, GuardBypass>();
  for (const event of events) {
    if (event.type !== 'guard-bypass') continue;
    const { processorId, phase, path, reason, calls } = event;
    const key = JSON.stringify([phase, path, reason]);
    sums.set(key, { processorId, phase, path, reason, count: (sums.get(key)?.count ?? 0) + calls });
  }
  return [...sums.values()];
};
