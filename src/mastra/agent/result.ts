import type { MessageList } from '@mastra/core/agent/message-list';
import type { RunEvent, RunStatus, Tripwire } from '../../../schemas/index.js';
import { InterlockError, isInterlockError } from '../../errors.js';
import { finishReasonOf, tripwireOf } from '../../loop/finalize-run.js';
import type { Chunk, StepRecord } from '../../loop/ports.js';
import { acceptedSteps, isWithheld, visibleSteps, type Run } from '../../loop/run.js';
import { waitingCalls, waitingChunk } from '../../loop/waiting-calls.js';
import { bypassesOf, type GuardBypass } from '../../trace/bypasses.js';
import { isDelegated } from '../tools/delegation.js';
import { objectOf } from '../structured-output/structured-output.js';
import { wastedOf, type WastedCalls } from '../../trace/wasted.js';

/** A step as results report it: the loop's record, with the views that Mastra's steps have. */
export interface StepResult extends StepRecord {
  staticToolCalls: Chunk[];
  dynamicToolCalls: Chunk[];
  staticToolResults: Chunk[];
  dynamicToolResults: Chunk[];
}

/** What Mastra's agents answer with, as far as a run of the loop can tell it, and how the run went. */
export interface RunResult {
  /** How the run ended. */
  status: RunStatus;
  /** Accepted text only, of all steps. */
  text: string;
  /** Every attempt at every step; a rejected one has a `tripwire` and none of its words. */
  steps: StepResult[];
  finishReason: string;
  /** Tokens of the whole run, rejected attempts included. */
  usage: Run['usage'];
  totalUsage: Run['usage'];
  /** Why the run ended as a tripwire. */
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
  /** The object of an accepted answer, where one was asked for. */
  object: unknown;
  usedFallbackValue: boolean;
  runId: string;
  traceId: string | undefined;
  spanId: string | undefined;
  /** Of a suspended run: the first call that waits, with what its tool says of it. */
  suspendPayload: unknown;
  /** What that call is to be resumed with: JSON schema, as text. */
  resumeSchema: string | undefined;
  /** The whole conversation after the run. */
  messages: unknown[];
  /** What memory put into it. */
  rememberedMessages: unknown[];
  /** Guards that did not judge, and whose policy lets that pass; empty where every guard gave its verdicts. */
  bypasses: GuardBypass[];
  /** The usage of model calls that overlapped with guards and were discarded. */
  wasted: WastedCalls;
  /** What happened in the run, in order. Verdicts of shadow guards may be added after the run has ended. */
  runEvents: readonly RunEvent[];
}

/** What a result says about the guards. It can be read, and leaves a server only where the agent says `serveGuardDetails`. */
const guardDetails = ['bypasses', 'wasted', 'runEvents'] as const satisfies readonly (keyof RunResult)[];

/** The result of a run that has ended. Copies of it, JSON among them, do not describe the guards unless the agent says so. */
const resultOf = (run: Run): RunResult => {
  const result = wholeResultOf(run);
  if (run.options.serveGuardDetails) return result;
  for (const name of guardDetails) hide(result, name);
  if (result.tripwire) for (const name of ['phase', 'path'] as const) hide(result.tripwire, name);
  return result;
};

const hide = <T extends object>(target: T, name: keyof T): void =>
  void Object.defineProperty(target, name, { enumerable: false });

/** {@link resultOf} for the application's own callbacks, with everything in it. */
export const wholeResultOf = (run: Run): RunResult => {
  const { list } = run;
  const { runId } = run.options;
  const accepted = isWithheld(run) ? [] : acceptedSteps(run);
  const last = accepted.at(-1);
  return {
    status: run.status ?? 'failed',
    text: accepted.map((step) => step.text).join(''),
    steps: visibleSteps(run).map(stepResult),
    finishReason: finishReasonOf(run),
    usage: usageOf(run),
    totalUsage: usageOf(run),
    tripwire: run.status === 'tripwire' ? tripwireOf(run) : undefined,
    error: run.status === 'failed' ? errorOf(run) : undefined,
    ...gathered(accepted),
    content: isWithheld(run) ? [] : list.get.response.aiV5.stepContent(),
    warnings: last?.warnings ?? [],
    request: last?.request ?? {},
    response: { ...last?.response, ...responseMessages(run) },
    providerMetadata: last?.providerMetadata,
    ...objectOf(run),
    runId,
    ...traceIdsOf(run),
    ...suspensionOf(run),
    messages: isWithheld(run) ? messagesBefore(list) : list.get.all.db(),
    rememberedMessages: list.get.remembered.db(),
    bypasses: bypassesOf(run.recorder.events),
    wasted: wastedOf(run.recorder.events),
    runEvents: run.recorder.events,
  };
};

/** How a caller wants the result of a run. */
export interface Wanted {
  readonly returnScorerData?: boolean | undefined;
  readonly throwOnTripwire?: boolean | undefined;
}

/** What a caller wants, over what the agent says. A supervisor gets an error of its own for a tripwire. */
export const wantedOf = <T extends Wanted>(callbacks: T, agent: Wanted): T => {
  const { throwOnTripwire = agent.throwOnTripwire } = callbacks;
  return { ...callbacks, throwOnTripwire: throwOnTripwire && !isDelegated(callbacks) };
};

/** The result of a run for its caller. Raises the error of a failed run, and with `throwOnTripwire` a tripwire as `agent/tripwire`. */
export const answerOf = (run: Run, { returnScorerData, throwOnTripwire }: Wanted): RunResult => {
  if (run.status === 'failed') throw errorOf(run);
  const result = Object.assign(resultOf(run), returnScorerData && { scoringData: scoringDataOf(run) });
  const { tripwire } = result;
  if (throwOnTripwire && tripwire)
    throw new InterlockError('agent/tripwire', { path: tripwire.processorId, detail: tripwire.reason, cause: tripwire });
  return result;
};

/** What scorers judge: the messages of a run, of which only accepted ones are left. */
const scoringDataOf = (run: Run): object => scoringOf(run.list, isWithheld(run));

const scoringOf = (list: MessageList, withheld: boolean): object => ({
  input: {
    inputMessages: list.getPersisted.input.db(),
    rememberedMessages: list.getPersisted.remembered.db(),
    systemMessages: list.getSystemMessages(),
    taggedSystemMessages: list.getPersisted.taggedSystemMessages,
  },
  output: withheld ? [] : list.getPersisted.response.db(),
});

/** Where the run's trace is found; nothing where none was made. */
export const traceIdsOf = ({ options: { tracer } }: Run): Pick<RunResult, 'traceId' | 'spanId'> =>
  tracer?.ids ?? { traceId: undefined, spanId: undefined };

const suspensionOf = (run: Run): Pick<RunResult, 'suspendPayload' | 'resumeSchema'> => {
  const [waiting] = run.status === 'suspended' ? waitingCalls(run) : [];
  const payload = waiting && (waitingChunk(run, waiting).payload as { resumeSchema: string });
  return { suspendPayload: payload, resumeSchema: payload?.resumeSchema };
};

/** What the steps of an answer add up to. */
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

/** What the run answered, in each form that Mastra gives it in. */
export const responseMessages = (run: Run): Record<'messages' | 'uiMessages' | 'dbMessages', unknown[]> => {
  if (isWithheld(run)) return { messages: [], uiMessages: [], dbMessages: [] };
  const { response } = run.list.get;
  return { messages: response.aiV5.model(), uiMessages: response.aiV5.ui(), dbMessages: response.db() };
};

/** The conversation without what the run has answered. */
const messagesBefore = ({ get }: MessageList): unknown[] => {
  const answered = new Set(get.response.db().map(({ id }) => id));
  return get.all.db().filter(({ id }) => !answered.has(id));
};

/** The provider's own count cannot be summed: as in Mastra, it is that of the last step. */
const usageOf = (run: Run): Run['usage'] => {
  const raw = acceptedSteps(run).at(-1)?.usage.raw;
  return { ...run.usage, ...(raw !== undefined && { raw }) };
};

/** A step with the views that Mastra's steps have: calls of tools that are known beforehand or not. */
export const stepResult = (step: StepRecord): StepResult => {
  const isDynamic = (wanted: boolean) => (chunk: Chunk) =>
    (chunk.payload as { dynamic?: boolean } | undefined)?.dynamic === wanted;
  return {
    ...step,
    content: [...step.content, ...step.toolResults.map(resultContent)],
    finishReason: step.finishReason ?? (step.reason === 'error' ? 'error' : undefined),
    staticToolCalls: step.toolCalls.filter(isDynamic(false)),
    dynamicToolCalls: step.toolCalls.filter(isDynamic(true)),
    staticToolResults: step.toolResults.filter(isDynamic(false)),
    dynamicToolResults: step.toolResults.filter(isDynamic(true)),
  };
};

/** A tool's result as the AI SDK's content of a step has it. */
const resultContent = ({ toolCallId, toolName, input, output }: StepRecord['toolResults'][number]): object => ({
  type: 'tool-result',
  toolCallId,
  toolName,
  input,
  output: typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output },
});

/** The answer of a run without what was said before its last tool call: what Mastra's streams give as their text. */
export const answerText = ({ text, steps }: Pick<RunResult, 'text' | 'steps'>): string => {
  const accepted = steps.filter((step) => !step.tripwire && step.reason !== 'error');
  const usesTools = accepted.some(({ toolCalls }) => toolCalls.length > 0);
  return usesTools ? (accepted.at(-1)?.text ?? '') : text;
};

/** Why a run failed: the provider's own error where a model call did, with its `statusCode`; always an error, whatever was thrown. */
export const errorOf = ({ error }: Run): Error => {
  if (isInterlockError(error, 'model/call-failed') && error.cause instanceof Error) return error.cause;
  return error instanceof Error ? error : new InterlockError('run/failed', { cause: error });
};
