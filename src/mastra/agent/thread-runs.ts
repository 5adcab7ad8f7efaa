import type { Agent } from '@mastra/core/agent';
import type { Mastra } from '@mastra/core/mastra';
import type { RequestContext } from '@mastra/core/request-context';
import type { Chunk, RunMode } from '../../loop/ports.js';
import type { Run } from '../../loop/run.js';
import type { CallOptions } from '../call-options.js';
import { requestedIds, type MemoryTarget } from '../memory/memory.js';
import { idsOf } from './start-run.js';
import type { StartedRun } from './callbacks.js';
import { startOptions } from './resume.js';
import { fullStreamOf } from './run-stream.js';

/** Mastra's runtime of threads: one for all agents of the process. It starts runs for messages, and publishes them to subscribers. */
type ThreadRuntime = Mastra['agentThreadStreamRuntime'];

/** A call that may belong to a thread. */
interface ThreadCall {
  readonly agent: Agent;
  readonly mode: RunMode;
  /** Call options for later runs of the thread, which the runtime starts. */
  readonly given: CallOptions;
  readonly options: CallOptions;
  readonly requestContext: RequestContext;
  /** For a call that resumes a run: the run's thread, and the answered call. */
  readonly resumes?: { readonly thread: Thread | undefined; readonly toolCallId: string | undefined };
}

/** The conversation of a run, as the runtime addresses it. */
interface Thread {
  readonly threadId: string;
  readonly resourceId: string | undefined;
}

/** The thread of a call. */
const threadIn = (memory: MemoryTarget | undefined, requestContext: RequestContext | undefined): Thread | undefined => {
  const { threadId, resourceId } = requestedIds(memory, requestContext);
  return threadId ? { threadId, resourceId } : undefined;
};

/** The thread in which a run was started. */
export const threadOfRun = (run: Run): Thread | undefined => {
  const { memory, requestContext } = startOptions(run) ?? {};
  return threadIn(memory, requestContext);
};

/**
 * Queues a streamed run in its thread, as Mastra's agents do. It waits for the previous run, can be aborted through its thread,
 * and its subscribers get the same chunks as its readers. A message that arrives while it runs starts the next run, where the
 * input guards judge it.
 */
export const inThread = async (call: ThreadCall, start: (options: CallOptions) => Promise<StartedRun>): Promise<StartedRun> => {
  const { agent, mode, given, options, requestContext, resumes } = call;
  const thread = resumes?.thread ?? threadIn(options.memory, requestContext);
  if (mode !== 'stream' || !thread) return start(options);
  const runtime = await runtimeOf(agent);
  const pubsub = agent.getPubSub();
  const runId = options.runId ?? idsOf(agent)('run');
  const memory = { ...options.memory, thread: thread.threadId, resource: thread.resourceId };
  const placed = { ...options, memory, requestContext, runId } as never; // Mastra types it with its own generics
  await runtime.waitForCrossAgentThreadRun(agent, placed, pubsub);
  const { abortSignal, requestContext: context } = runtime.prepareRunOptions(placed, pubsub) as CallOptions;
  const later = Object.defineProperty({ ...given, runId, memory, requestContext: context }, 'toolCallId', {
    value: resumes?.toolCallId,
    enumerable: false, // the runtime reads it, but later runs do not inherit it
  }) as never;
  try {
    const started = await start({ ...options, runId, abortSignal, ...(context && { requestContext: context }) });
    return { ...started, publish: async (stream) => void (await runtime.registerRun(agent, stream, later, pubsub)) };
  } catch (error) {
    runtime.releaseThreadRunReservation(runId, pubsub, { agent, streamOptions: later });
    throw error;
  }
};

/** The runtime of the process. For an agent without a Mastra instance, Mastra's class is loaded to get it. */
const runtimeOf = async (agent: Agent): Promise<ThreadRuntime> => {
  const registered = agent.getMastraInstance()?.agentThreadStreamRuntime;
  if (registered) return registered;
  const { Mastra: host } = await import('@mastra/core/mastra');
  return host.prototype.agentThreadStreamRuntime;
};

/**
 * A run's stream for the runtime to publish, from a separate reader that does not count as the caller's. It has finished once
 * that reader has read all chunks, so that a suspension is known by then.
 */
export const publishedStream = (run: Run, stream: object, { ended, transforms }: Published): object => {
  let read: () => void = () => undefined;
  const isRead = new Promise<void>((resolve) => (read = resolve));
  const chunks = fullStreamOf(run, transforms);
  async function* followed() {
    try {
      for await (const chunk of chunks) if (!endsSuspended(chunk)) yield chunk;
    } finally {
      read();
    }
  }
  const own = { __getUnfilteredFullStream: followed, _waitUntilFinished: () => ended.then(() => isRead) };
  return Object.assign(Object.create(stream) as object, own);
};

/** Whether a chunk is the finish of a suspended run. In a thread the run goes on: its subscribers take a finish for its end. */
const endsSuspended = ({ type, payload }: Chunk): boolean =>
  type === 'finish' && (payload as { stepResult?: { reason?: unknown } } | undefined)?.stepResult?.reason === 'suspended';

interface Published {
  readonly ended: Promise<void>;
  readonly transforms: CallOptions['experimentalTransform'];
}
