import { waitingChunk } from '../../loop/emit.js';
import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import type { RunEvent, RunStatus, Tripwire } from '../../../schemas/index.js';
import { InterlockError, isInterlockError } from '../../errors.js';
import { finishReasonOf, tripwireOf } from '../../loop/finalize-run.js';
import type { Chunk, StepRecord, TokenUsage } from '../../loop/ports.js';
import { acceptedSteps, isWithheld, visibleSteps, type Run, waitingCalls } from '../../loop/run.js';
import { bypassesOf } from '../../trace/guard-view.js';
import { withTextFields } from '../messages/conversion.js';
import { objectOf } from '../structured-output/structured-output.js';
import { messagesOf, stepResults, type ResponseMessages, type StepResult } from './step-results.js';

/** The result of a run: the fields of Mastra's result that the loop supports, with status and events. */
export interface RunResult {
  /** The final status of the run. */
  status: RunStatus;
  /** Accepted text only, of all steps. */
  text: string;
  /** Every attempt at every step; a rejected one has a `tripwire` and no text. */
  steps: StepResult[];
  finishReason: string;
  /** Tokens of the whole run, rejected attempts included. */
  usage: TokenUsage;
  totalUsage: TokenUsage;
  /** The reason and the guard of a run that ended as a tripwire. */
  tripwire: Tripwire | undefined;
  error: Error | undefined;
  reasoning: Chunk[];
  reasoningText: string | undefined;
  toolCalls: StepRecord['toolCalls'];
  toolResults: Chunk[];
  sources: Chunk[];
  files: Chunk[];
  content: unknown[];
  warnings: unknown[];
  request: Record<string, unknown>;
  response: Record<string, unknown>;
  providerMetadata: unknown;
  /** The object of an accepted answer. Undefined without structured output. */
  object: unknown;
  usedFallbackValue: boolean;
  runId: string;
  traceId: string | undefined;
  spanId: string | undefined;
  /** The first waiting call of a suspended run, with its tool's payload. */
  suspendPayload: unknown;
  /** The JSON schema of that call's resume data, as text. */
  resumeSchema: string | undefined;
  /** The whole conversation after the run. */
  messages: unknown[];
  /** The messages that memory added. */
  rememberedMessages: unknown[];
  /** Guards that did not judge and whose policy allows that. Empty if every guard judged. */
  bypasses: ReturnType<typeof bypassesOf>;
  /** The usage of model calls that overlapped with guards and were discarded. */
  wasted: WastedCalls;
  /** The events of the run, in order. Verdicts of shadow guards may be added after the run has ended. */
  runEvents: readonly RunEvent[];
}

/** Fields about the guards. They can be read, but a server sends them only with `serveGuardDetails`. */
type GuardDetails = Pick<RunResult, 'bypasses' | 'wasted' | 'runEvents'>;

/** The result of a run that has ended. Copies of it, such as JSON, omit details of the guards unless `serveGuardDetails` is set. */
const resultOf = (run: Run): RunResult => {
  if (run.options.serveGuardDetails) return wholeResultOf(run);
  const result = servedResultOf(run);
  if (result.tripwire) for (const name of ['phase', 'path'] as const) hide(result.tripwire, name);
  return withHidden(result, guardDetailsOf(run));
};

const hide = <T extends object>(target: T, name: keyof T): void =>
  void Object.defineProperty(target, name, { enumerable: false });

/** Adds fields that cannot be enumerated. V8 would rebuild the whole object if an existing field were hidden. */
const withHidden = <T extends object, H extends object>(target: T, hidden: H): T & H => {
  for (const [name, value] of Object.entries(hidden))
    Object.defineProperty(target, name, { value: value as unknown, writable: true, configurable: true });
  return target as T & H;
};

/** {@link resultOf} with all details, for the application's own callbacks. */
export const wholeResultOf = (run: Run): RunResult => Object.assign(servedResultOf(run), guardDetailsOf(run));

const guardDetailsOf = ({ recorder: { events } }: Run): GuardDetails => ({
  bypasses: bypassesOf(events),
  wasted: wastedOf(events),
  runEvents: events,
});

const servedResultOf = (run: Run): Omit<RunResult, keyof GuardDetails> => {
  const { list } = run.state;
  const { runId } = run.options;
  const accepted = isWithheld(run) ? [] : acceptedSteps(run);
  const last = accepted.at(-1);
  return {
    status: run.state.status ?? 'failed',
    text: accepted.map((step) => step.text).join(''),
    steps: stepResults(run, visibleSteps(run)),
    finishReason: finishReasonOf(run),
    usage: usageOf(run),
    totalUsage: usageOf(run),
    tripwire: run.state.status === 'tripwire' ? tripwireOf(run) : undefined,
    error: run.state.status === 'failed' ? errorOf(run) : undefined,
    ...gathered(accepted),
    ...(isWithheld(run) && { toolCalls: shownCallsOf(run) }),
    content: isWithheld(run) ? [] : list.get.response.aiV5.stepContent(),
    warnings: last?.warnings ?? [],
    request: last?.request ?? {},
    response: responseOf(run, last),
    providerMetadata: last?.providerMetadata,
    ...objectOf(run),
    runId,
    ...traceIdsOf(run),
    ...suspensionOf(run),
    messages: withTextFields(isWithheld(run) ? messagesBefore(list) : list.get.all.db(), list),
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
const scoringDataOf = (run: Run): object => scoringOf(run.state.list, isWithheld(run));

const scoringOf = (list: MessageList, withheld: boolean): object => ({
  input: {
    inputMessages: list.getPersisted.input.db(),
    rememberedMessages: list.getPersisted.remembered.db(),
    systemMessages: list.getSystemMessages(),
    taggedSystemMessages: list.getPersisted.taggedSystemMessages,
  },
  output: withheld ? [] : withTextFields(list.getPersisted.response.db(), list),
});

/** The ids of the run's trace. Undefined without a trace. */
export const traceIdsOf = ({ options: { tracer } }: Run): Pick<RunResult, 'traceId' | 'spanId'> =>
  tracer?.ids ?? { traceId: undefined, spanId: undefined };

const suspensionOf = (run: Run): Pick<RunResult, 'suspendPayload' | 'resumeSchema'> => {
  const [waiting] = run.state.status === 'suspended' ? waitingCalls(run) : [];
  const payload = waiting && (waitingChunk(run, waiting).payload as { resumeSchema: string });
  return { suspendPayload: payload, resumeSchema: payload?.resumeSchema };
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
): ResponseMessages & Record<string, unknown> => {
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

const nothing: WastedCalls = { calls: 0, durationMs: 0, inputTokens: 0, outputTokens: 0, isEstimated: false };

/** Sums up the discarded model calls of a run. */
const wastedOf = (events: readonly RunEvent[]): WastedCalls =>
  events
    .filter((event) => event.type === 'model-wasted')
    .reduce<WastedCalls>(
      (sum, event) => ({
        calls: sum.calls + 1,
        durationMs: sum.durationMs + event.durationMs,
        inputTokens: sum.inputTokens + event.inputTokens,
        outputTokens: sum.outputTokens + event.outputTokens,
        isEstimated: sum.isEstimated || event.isEstimated,
      }),
      nothing,
    );

/** The usage of model calls whose responses were discarded, because an overlap guard did not pass. */
interface WastedCalls {
  readonly calls: number;
  /** The time that the calls took, in milliseconds. */
  readonly durationMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Whether some token counts are estimated: providers report usage only at the end of a response. */
  readonly isEstimated: boolean;
}
