import type { Agent } from '@mastra/core/agent';
import type { RunSegment } from '../../loop/create-run.js';
import { isChunk } from '../../loop/emit.js';
import type { Chunk, RunMode } from '../../loop/ports.js';
import { acceptedSteps, isWithheld, type Run } from '../../loop/run.js';
import { createStreamBuffer, type OnShow, type StreamBuffer } from '../../stream/stream-buffer.js';
import type { CallCallbacks, CallOptions } from '../call-options.js';
import { callEnded, stepCallback, copyForReader } from './callbacks.js';
import type { InterlockConfig } from './config.js';
import { objectOf } from '../messages/conversion.js';
import { errorOf, responseOf, usageOf } from './result.js';
import { InterlockError } from '../../errors.js';
import { anySignal, safely } from '../../phase/awaitable.js';
import { abortAfter, timeoutError } from '../model/model-call.js';
import { executeWithContextSync } from '@mastra/core/observability';
import { spanOf } from '../tracing/agent-trace.js';
import type { RunEvent } from '../../../schemas/index.js';
import { mayRejectCalls } from '../../loop/judge.js';
import { findTool } from '../tools/tools.js';
import { fieldsIn, pick } from '../../phase/plain-data.js';

interface SegmentOptions {
  /** Undefined when no agent operates the run, as in a replay. */
  readonly agent?: Agent;
  readonly mode: RunMode;
  readonly options: CallOptions;
  readonly guards: InterlockConfig;
  /** Records each chunk once it is visible, after the guards' edits. */
  readonly recorded: OnShow<Chunk> | undefined;
  /** Called with each chunk in its final form, before the caller gets it. */
  readonly show?: OnShow<Chunk> | undefined;
}

/** The caller's part of a run segment: the stream, the listeners, and the abort signal. */
export const runSegmentOf = (
  { agent, mode, options, guards, recorded, show }: SegmentOptions,
  runOf: () => Run | undefined,
): RunSegment => {
  const log = agent && createRunLog(agent);
  const deadline = startDeadline(options);
  const listeners = combined([show, notifyChunk(options)]);
  const shown = combined([recorded, withPayloadTransforms(runOf, listeners)]);
  const isRead = mode === 'stream' || Boolean(recorded ?? listeners ?? agent?.getChannels());
  return {
    mode,
    streamBuffer: withResponse(
      createStreamBuffer<Chunk>(undefined, shown, isRead ? (chunk) => copyForReader(runOf(), chunk) : undefined),
      runOf,
      { callbacks: options, isRead },
    ),
    abortSignal: deadline.signal,
    onEvent: (event, run) => {
      if (event.type === 'run-finish') deadline.clear();
      void safely(log, event, run);
      void safely(guards.onRunEvent, event, { agentId: agent?.id });
      void safely(options.onRunEvent, event, { agentId: agent?.id });
    },
    onStepFinish: stepCallback(options),
  };
};

/** The abort signal of a segment, which also ends it after `modelSettings.timeout.totalMs`. */
const startDeadline = ({ abortSignal, modelSettings }: CallOptions) => {
  const totalMs = modelSettings?.timeout?.totalMs;
  if (totalMs === undefined) return { signal: abortSignal, clear: () => undefined };
  const path = 'modelSettings.timeout.totalMs';
  const { signal, clear } = abortAfter(
    totalMs,
    async () => new InterlockError('run/deadline', { path, cause: await timeoutError('total', totalMs) }),
  );
  return { signal: anySignal([abortSignal, signal]), clear };
};

/** Calls `onChunk` with each chunk once it is visible. */
const notifyChunk = ({ onChunk }: CallCallbacks): ((chunk: Chunk) => void) | undefined =>
  onChunk && ((chunk) => void safely(onChunk, chunk)); // chunks are Mastra's

/** Combines listeners. One of them may delay the readers. */
const combined = (listeners: readonly (OnShow<Chunk> | undefined)[]): OnShow<Chunk> | undefined => {
  const shows = listeners.filter((show) => show !== undefined);
  if (shows.length < 2) return shows[0];
  return (chunk) => shows.map((show) => show(chunk)).find((leaving) => leaving !== undefined);
};

/** Shows a chunk once its payload is transformed, and after the chunks before it. */
const withPayloadTransforms = (runOf: () => Run | undefined, show: OnShow<Chunk> | undefined): OnShow<Chunk> => {
  let before: Promise<boolean> | undefined;
  return (chunk) => {
    const noting = runOf()?.options.ports.payloads?.ofChunk(chunk);
    if (!noting && !before) return show?.(chunk);
    const mine: Promise<boolean> = Promise.all([before, noting])
      .then(() => show?.(chunk) ?? true)
      .finally(() => before === mine && (before = undefined));
    return (before = mine);
  };
};

/**
 * Writes the run's object before its last chunk, and awaits the end callbacks, because a host may freeze once the stream has
 * closed. The last chunk carries the messages of the answer, from which clients read metadata.
 */
const withResponse = (
  streamBuffer: StreamBuffer<Chunk>,
  runOf: () => Run | undefined,
  { callbacks, isRead }: { readonly callbacks: CallCallbacks; readonly isRead: boolean },
): StreamBuffer<Chunk> => {
  const { write } = streamBuffer;
  const [withName, notifyTools] = [namesInput(), createToolNotifier(runOf)];
  return Object.assign(streamBuffer, {
    write: (given: Chunk) => {
      const chunk = withName(given);
      notifyTools(chunk);
      const run = runOf();
      if (chunk.type === 'error' && run?.state.status === 'failed') return write({ ...chunk, payload: { error: errorOf(run) } });
      if (chunk.type !== 'finish' || !run) return write(chunk);
      const { runId, from, payload } = chunk;
      if ('response' in fieldsIn(payload)) return callEnded(run, callbacks).then(() => write(chunk)); // from the process that ran the run
      const { object } = objectOf(run);
      if (object !== undefined) void write({ type: 'object-result', runId, from, object } as Chunk); // readers no longer wait
      const last = isRead ? { ...chunk, payload: { ...fieldsIn(payload), ...endOfRun(run, fieldsIn(payload)) } } : chunk;
      return callEnded(run, callbacks).then(() => write(last));
    },
  });
};

/** The fields of the last chunk that only Mastra's hosts read. Its client continues from the messages of the answer after its own tools. */
const endOfRun = (run: Run, { output, messages }: Readonly<Record<string, unknown>>) => {
  const response = responseOf(run);
  const { text = '', toolCalls = [] } = (isWithheld(run) ? undefined : acceptedSteps(run).at(-1)) ?? {};
  const { object } = objectOf(run);
  return {
    response,
    output: { ...fieldsIn(output), text, toolCalls, usage: usageOf(run), ...(object !== undefined && { object }) },
    messages: { ...fieldsIn(messages), nonUser: response.messages },
  };
};

/**
 * Logs events for operators to the logger of the agent's Mastra instance: failed runs, runs that a guard stopped, retried model
 * calls, and guards that were unavailable and bypassed. An agent without a Mastra instance has no logger. A tripwire is logged with
 * the reason that its guard chose for disclosure, but not with its metadata, which may contain anything.
 */
const createRunLog = (agent: Agent): ((event: RunEvent, run: Run) => void) => {
  const logger = agent.getMastraInstance()?.getLogger();
  if (!logger) return () => undefined;
  return (event, run) => {
    const log = (level: 'error' | 'warn', message: string, fields: object): void => {
      const fn = () => logger[level](message, { agent: agent.name, runId: event.runId, ...fields });
      executeWithContextSync({ span: spanOf(run), fn });
    };
    if (event.type === 'guard-bypass' && event.reason !== 'sampled-out')
      log('warn', 'Guard unavailable, payload passed unchecked', pick(event, 'processorId', 'phase', 'path', 'reason', 'calls'));
    if (event.type === 'model-error' && event.recovered) log('warn', 'Model call failed, retrying', { error: event.message });
    if (event.type !== 'run-finish') return;
    const { status, tripwire, error } = event;
    if (status === 'failed') log('error', 'Error in agent run', { error: run.state.error === undefined ? error : errorOf(run) });
    if (status !== 'tripwire' || !tripwire) return;
    const fields = pick(tripwire, 'reason', 'processorId', 'phase', 'path', 'retry');
    if (tripwire.kind === 'unavailable') log('error', 'Guard unavailable, run stopped', fields);
    else log('warn', 'Processor tripwire triggered', fields);
  };
};

/** Adds its tool to each piece of streamed arguments, as Mastra's agent does: providers name it only at their start. */
const namesInput = (): ((chunk: Chunk) => Chunk) => {
  const names = new Map<string, string | undefined>();
  return (chunk) => {
    if (isChunk(chunk, 'tool-call-input-streaming-start')) names.set(chunk.payload.toolCallId, chunk.payload.toolName);
    if (!isChunk(chunk, 'tool-call-delta') || chunk.payload.toolName !== undefined) return chunk;
    return { ...chunk, payload: { ...chunk.payload, toolName: names.get(chunk.payload.toolCallId) } };
  };
};

/**
 * Passes arguments to tools while they stream. When a guard may still reject the call, its tool gets them with the accepted
 * call, see `runTool`.
 */
const createToolNotifier = (runOf: () => Run | undefined): ((chunk: Chunk) => void) => {
  return (chunk) => {
    const isStart = isChunk(chunk, 'tool-call-input-streaming-start');
    if (!isStart && !isChunk(chunk, 'tool-call-delta')) return;
    const run = runOf();
    if (!run || mayRejectCalls(run)) return; // buffered by an earlier run segment, which has already passed it on
    const {
      signal: abortSignal,
      state: { attempt, list },
    } = run;
    const { toolCallId, toolName = '', argsTextDelta } = chunk.payload;
    const [, tool] = (attempt && findTool(attempt.settings, toolName)) ?? [];
    const listener = isStart ? tool?.onInputStart : tool?.onInputDelta;
    if (!listener) return;
    const event = { toolCallId, messages: list.get.input.aiV5.model(), abortSignal };
    void safely(listener, isStart ? event : { ...event, inputTextDelta: argsTextDelta });
  };
};
