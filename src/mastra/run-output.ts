import type { MessageList } from '@mastra/core/agent/message-list';
import type { RunEvent, RunStatus } from '../../schemas/index.js';
import { finishReasonOf, tripwireOf } from '../loop/ending.js';
import type { Chunk, StepRecord } from '../loop/ports.js';
import { acceptedSteps, type Run } from '../loop/run.js';
import { isInterlockError, InterlockError } from '../errors.js';

/** What Mastra's agents answer with, as far as a run of the loop can tell it, and how the run went. */
export interface RunResult {
  status: RunStatus;
  /** Accepted text only. */
  text: string;
  steps: StepRecord[];
  finishReason: string;
  usage: Run['usage'];
  totalUsage: Run['usage'];
  tripwire: ReturnType<typeof tripwireOf>;
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
  object: undefined;
  usedFallbackValue: boolean;
  runId: string;
  traceId: string | undefined;
  spanId: string | undefined;
  suspendPayload: undefined;
  resumeSchema: undefined;
  messages: unknown[];
  rememberedMessages: unknown[];
  /** What happened in the run, in order. */
  runEvents: readonly RunEvent[];
}

/** Reads the result off a run that has ended. */
export const resultOf = (run: Run): RunResult => {
  const list = run.options.list as MessageList;
  const steps = acceptedSteps(run);
  const last = steps.at(-1);
  return {
    status: run.status ?? 'failed',
    text: steps.map((step) => step.text).join(''),
    steps: [...run.steps],
    finishReason: finishReasonOf(run),
    usage: { ...run.usage },
    totalUsage: { ...run.usage },
    tripwire: run.status === 'tripwire' ? tripwireOf(run) : undefined,
    error: run.status === 'failed' ? errorOf(run) : undefined,
    reasoning: last?.reasoning ?? [],
    reasoningText: last?.reasoningText,
    toolCalls: steps.flatMap((step) => step.toolCalls),
    toolResults: steps.flatMap((step) => step.toolResults),
    sources: steps.flatMap((step) => step.sources),
    files: steps.flatMap((step) => step.files),
    content: last?.content ?? [],
    warnings: last?.warnings ?? [],
    request: last?.request ?? {},
    response: {
      ...last?.response,
      messages: list.get.response.aiV5.model(),
      uiMessages: list.get.response.aiV5.ui(),
      dbMessages: list.get.response.db(),
    },
    providerMetadata: last?.providerMetadata,
    object: undefined,
    usedFallbackValue: false,
    runId: run.options.runId,
    traceId: undefined,
    spanId: undefined,
    suspendPayload: undefined,
    resumeSchema: undefined,
    messages: list.get.all.db(),
    rememberedMessages: list.get.remembered.db(),
    runEvents: run.recorder.events,
  };
};

/** Why a run failed, as an error whatever was thrown. */
export const errorOf = (run: Run): Error => {
  if (isInterlockError(run.error) || run.error instanceof Error) return run.error;
  return new InterlockError('run/failed', { cause: run.error });
};

/** Fields of a result that a stream offers as promises. */
const promised = [
  'text',
  'steps',
  'finishReason',
  'usage',
  'totalUsage',
  'reasoning',
  'reasoningText',
  'toolCalls',
  'toolResults',
  'sources',
  'files',
  'content',
  'warnings',
  'request',
  'response',
  'providerMetadata',
  'object',
  'suspendPayload',
  'resumeSchema',
] as const satisfies readonly (keyof RunResult)[];

type Promised = { readonly [K in (typeof promised)[number]]: Promise<RunResult[K]> };

/** A run that streams: Mastra's stream object in shape, with `status` and the run's events. */
export interface RunStream extends Promised {
  readonly runId: string;
  readonly messageId: string;
  readonly messageList: unknown;
  readonly traceId: string | undefined;
  readonly status: RunStatus | 'running';
  readonly tripwire: RunResult['tripwire'];
  readonly error: Error | undefined;
  /** Every chunk from the first, for each reader. */
  readonly fullStream: ReadableStream<Chunk>;
  /** Text as it is released; what was retracted later is not taken back here. */
  readonly textStream: ReadableStream<string>;
  /** The events so far. */
  readonly runEvents: readonly RunEvent[];
  consumeStream(options?: { onError?: (error: unknown) => void }): Promise<void>;
  /** The whole result; rejects where the run failed. */
  getFullOutput(): Promise<RunResult>;
}

/** Offers a run that has been started as a stream. `ended` settles when it is over and never rejects. */
export const streamOf = (run: Run, ended: Promise<void>): RunStream => {
  const { outlet, runId, list } = run.options;
  const whole = async (): Promise<RunResult> => {
    outlet.drain();
    await ended;
    if (run.status === 'failed') throw errorOf(run);
    return resultOf(run);
  };
  const stream = {
    runId,
    messageId: run.messageId,
    messageList: list,
    traceId: undefined,
    get status() {
      return run.status ?? 'running';
    },
    get tripwire() {
      return run.status === 'tripwire' ? tripwireOf(run) : undefined;
    },
    get error() {
      return run.status === 'failed' ? errorOf(run) : undefined;
    },
    get fullStream() {
      return outlet.read();
    },
    get textStream() {
      return textOf(outlet.read());
    },
    runEvents: run.recorder.events,
    consumeStream: async (options?: { onError?: (error: unknown) => void }) => {
      outlet.drain();
      await ended;
      if (run.status === 'failed') options?.onError?.(errorOf(run));
    },
    getFullOutput: whole,
  };
  for (const name of promised)
    Object.defineProperty(stream, name, { get: () => whole().then((result) => result[name]), enumerable: true });
  return stream as typeof stream & Promised;
};

const textOf = (chunks: ReadableStream<Chunk>): ReadableStream<string> =>
  chunks.pipeThrough(
    new TransformStream<Chunk, string>({
      transform: ({ type, payload }, controller) => {
        if (type === 'text-delta') controller.enqueue((payload as { text: string }).text);
      },
    }),
  );
