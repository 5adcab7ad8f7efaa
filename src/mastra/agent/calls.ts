import type { Agent } from '@mastra/core/agent';
import type { RequestContext } from '@mastra/core/request-context';
import { createObservabilityContext } from '@mastra/core/observability';
import type { RunMode, Chunk } from '../../loop/ports.js';
import type { Run } from '../../loop/run.js';
import type { CallOptions } from '../call-options.js';
import { checkSignalOptions, checkTightens, rejectWithoutEngine, resolveOptions } from './resolve-options.js';
import { hasSupervisor, rejectedResult, rejectedStream } from '../tools/delegation.js';
import { idsOf } from './loop-ports.js';
import { startRun } from './start-run.js';
import { driveHere, startedRun, type Followed, type Published, type StartedRun } from './callbacks.js';
import { readCall, versionFor } from './read-call.js';
import type { AgentSetup } from './read-config.js';
import { answerOf, type ResultOptions } from './result.js';
import { readResumeOptions, resume, startOf, waitingWith, type ResumeOptions } from './resume.js';
import { streamOf, fullStreamOf } from './run-stream.js';
import type { SuspendedRuns } from './suspended-runs.js';
import { anySignal, safely } from '../../phase/awaitable.js';
import { spanOf } from '../tracing/agent-trace.js';
import type { Mastra } from '@mastra/core/mastra';
import { fillTextFields } from '../messages/conversion.js';
import { requestedIds, type MemoryTarget } from '../memory/memory.js';
import { fieldsIn, inheriting } from '../../phase/plain-data.js';

/** The parts of an agent that its calls need. */
export interface CalledAgent {
  readonly agent: Agent;
  readonly setup: AgentSetup;
  readonly suspended: SuspendedRuns;
  /** The runner that persists a call with these options. Undefined without an engine. */
  readonly runner: (options: CallOptions) => CallRunner | undefined;
  /** The same parts of a copy with a stored version. */
  readonly as: (version: Agent) => CalledAgent;
}

/** A call that starts a durable run. */
export interface DurableCall extends Pick<
  Parameters<typeof startRun>[0],
  'agent' | 'mode' | 'messages' | 'options' | 'requestContext'
> {
  /** The caller's options. */
  readonly given: CallOptions;
}

/** Starts and resumes durable runs. */
export interface CallRunner {
  start(call: DurableCall): Promise<Followed>;
  /** Undefined if the run is not persisted. */
  resume(resuming: ResumeOptions): Promise<Followed> | undefined;
}

/** Starts a run: resolves and checks its options, and queues it in its thread. */
export const startCall = async (
  called: CalledAgent,
  { mode, messages, options: callOptions }: { readonly mode: RunMode; readonly messages: unknown; readonly options: unknown },
): Promise<StartedRun> => {
  const { agent, setup } = called;
  const { messages: input, options: all, isSignal } = readCall(messages, callOptions);
  if (isSignal) checkSignalOptions(all);
  const { given, options, defaults, requestContext } = await resolveOptions({ ...setup, agent, mode, given: all });
  checkTightens(given, setup.guards, defaults);
  const version = await versionFor(agent, options.versions, requestContext);
  if (version !== agent) return startCall(called.as(version), { mode, messages, options: { ...given, requestContext } });
  await checkAccess(agent, options, requestContext);
  called.suspended.checkNew(options.runId);
  return inThread({ agent, mode, given, options, requestContext }, async (placed) => {
    const call = { agent, mode, messages: input, options: placed, requestContext: placed.requestContext ?? requestContext };
    const followed = await called.runner(given)?.start({ ...call, given });
    if (followed) return scored(followed.run, call, () => followed.ended);
    rejectWithoutEngine(placed, ['priority', 'deadlineMs']);
    const run = await startRun({ ...setup, ...call, isSignal });
    return scored(run, call, () => driveHere(run, called.suspended));
  });
};

/** A call that resumes a run. */
interface ResumingCall {
  readonly mode: RunMode;
  readonly resumeData: unknown;
  readonly given: object;
}

/** Resumes a suspended run in its thread. */
export const resumeCall = async (called: CalledAgent, { mode, resumeData, given }: ResumingCall): Promise<StartedRun> => {
  const { agent, setup, suspended } = called;
  const { runId, toolCallId, repeated, ...own } = readResumeOptions(given, setup.ignored);
  const { options, requestContext } = await resolveOptions({ ...setup, agent, mode, given: own });
  const { memory } = own;
  await checkAccess(agent, { ...own, runId }, requestContext);
  const rested = await suspended.seek(runId);
  const resumes = {
    thread: rested && threadOfRun(rested.run),
    toolCallId,
    waiting: rested ? waitingWith(rested.run, toolCallId) : [],
  };
  const joining = { agent, mode, given: own, options: { ...options, runId }, requestContext, resumes };
  return inThread(joining, async (placed) => {
    const resuming = { mode, runId, toolCallId, resumeData, repeated, options: placed, requestContext, memory };
    const call = { agent, options: placed, requestContext };
    const followed = await called.runner(options)?.resume(resuming);
    if (followed) return scored(followed.run, call, () => followed.ended);
    const run = await resume(resuming, suspended, setup.guards);
    return scored(run, call, () => driveHere(run, suspended));
  });
};

const checkAccess = (agent: Agent, { memory, runId, actor }: CallOptions, requestContext: RequestContext): Promise<void> =>
  agent['requireAgentExecutionFGA']({ requestContext, memory: memory as never, runId, actor });

/** Drives a run to its end, and returns its result. */
export const answerTo = async ({ agent, setup }: CalledAgent, { run, options, end }: StartedRun): Promise<unknown> => {
  run.options.streamBuffer.drain();
  await Promise.all([end(), showInChannel(agent, run)]);
  const result = answerOf(run, resultOptions(options, setup.guards));
  return hasSupervisor(options) ? rejectedResult(agent.id, result) : result;
};

/** Drives a run, and returns its stream. Subscribers of its thread also read it. */
export const streamTo = async ({ agent, setup }: CalledAgent, started: StartedRun): Promise<object> => {
  const { run, options, end, publish } = started;
  const ended = Promise.all([end(), showInChannel(agent, run)]).then(() => undefined);
  const transforms = options.experimentalTransform;
  const stream = streamOf(run, { ended, transforms, ...resultOptions(options, setup.guards) });
  await publish?.(stream, { chunks: fullStreamOf(run, transforms), ended });
  return hasSupervisor(options) ? rejectedStream(agent.id, stream) : stream;
};

/**
 * Sends a run to the channel of its thread, such as a Slack channel, through the processor of Mastra's channels. The channel gets
 * the same chunks as every reader: buffered or rejected text is not sent. Settles when the channel has received all. Failures of
 * a channel do not affect the run.
 */
const showInChannel = async (agent: Agent, { options: { streamBuffer, context } }: Run): Promise<void> => {
  const [channel] = agent.getChannels()?.getOutputProcessors([]) ?? [];
  if (!channel || 'workflow' in channel) return;
  const { requestContext } = context;
  const state = {};
  const show = (part: Chunk) => channel.processOutputStream?.({ part, state, requestContext } as never); // the fields that it reads
  for await (const chunk of streamBuffer.read()) await safely(show, chunk.type === 'step-finish' ? stepFinish(true) : chunk);
  await safely(show, stepFinish(false));
};

/**
 * The end of a step. A channel stops reading after the last one, so it is emitted at the end of the stream: the tripwire of a
 * run follows its last step, and a suspended run has none.
 */
const stepFinish = (isContinued: boolean): Chunk => ({ type: 'step-finish', payload: { stepResult: { isContinued } } });

type Scored = Pick<DurableCall, 'agent' | 'options' | 'requestContext'>;

/** A started run for its caller, whose scorers start after its end; see {@link startedRun}. */
const scored = (run: Run, call: Scored, ended: () => Promise<void>): StartedRun => {
  const { end, ...started } = startedRun(run, call.options, ended);
  return { ...started, end: () => end().then(() => safely(() => startScorers(run, call))) };
};

/** Starts the live scorers of the call, or of the agent, for a run that was accepted. Mastra samples and filters them. They never change the run. */
const startScorers = async (run: Run, { agent, options, requestContext }: Scored): Promise<void> => {
  if (run.state.status !== 'success') return;
  const { list: messageList } = run.state;
  fillTextFields(messageList);
  const { threadId, resourceId } = messageList.get.input.db()[0] ?? {};
  await agent['getLegacyHandler']()['capabilities'].runScorers({
    messageList,
    runId: run.options.runId,
    requestContext,
    structuredOutput: Boolean(options.structuredOutput),
    overrideScorers: options.scorers,
    threadId,
    resourceId,
    ...createObservabilityContext({ currentSpan: spanOf(run) }),
  });
};

/** Mastra's runtime of threads: one for all agents of the process. It starts runs for messages, and publishes them to subscribers. */
type ThreadRuntime = Mastra['agentThreadStreamRuntime'];

/** A call that may belong to a thread. */
interface ThreadCall extends Omit<DurableCall, 'messages'> {
  /** For a call that resumes a run: the run's thread, the answered call, and the calls that wait with it. */
  readonly resumes?: {
    readonly thread: Thread | undefined;
    readonly toolCallId: string | undefined;
    readonly waiting: readonly string[];
  };
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
const threadOfRun = (run: Run): Thread | undefined => {
  const { memory, requestContext } = startOf(run).options;
  return threadIn(memory, requestContext);
};

/**
 * Queues a streamed run in its thread, as Mastra's agents do. It waits for the previous run, can be aborted through its thread,
 * and its subscribers get the same chunks as its readers. A message that arrives while it runs starts the next run, where the
 * input guards judge it.
 */
const inThread = async (call: ThreadCall, start: (options: CallOptions) => Promise<StartedRun>): Promise<StartedRun> => {
  const { agent, mode, given, options, requestContext, resumes } = call;
  const thread = resumes?.thread ?? threadIn(options.memory, requestContext);
  if (mode !== 'stream' || !thread) return start(options);
  const runtime = await runtimeOf(agent);
  const pubsub = agent.getPubSub();
  const runId = options.runId ?? idsOf(agent, 'run')();
  const memory = { ...options.memory, thread: thread.threadId, resource: thread.resourceId };
  const placed = { ...options, memory, requestContext, runId } as never; // Mastra types it with its own generics
  await runtime.waitForCrossAgentThreadRun(agent, placed, pubsub);
  const prepared = runtime.prepareRunOptions(placed, pubsub) as CallOptions;
  const context = prepared.requestContext;
  const abortSignal = anySignal([options.abortSignal, prepared.abortSignal]); // the end of an earlier segment detaches the caller's
  const later = Object.defineProperty({ ...given, runId, memory, requestContext: context }, 'toolCallId', {
    value: resumes?.toolCallId,
    enumerable: false, // the runtime reads it, but later runs do not inherit it
  }) as never;
  try {
    const started = await start({ ...options, runId, abortSignal, ...(context && { requestContext: context }) });
    const publish: StartedRun['publish'] = async (stream, parts) =>
      void (await runtime.registerRun(
        agent,
        publishedStream(stream, { ...parts, waiting: resumes?.waiting ?? [] }),
        later,
        pubsub,
      ));
    return { ...started, publish };
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
const publishedStream = (stream: object, { chunks, ended, waiting }: Published & { waiting: readonly string[] }): object => {
  const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
  async function* followed() {
    try {
      for await (const chunk of chunks) if (!endsSuspended(chunk) && !isRepeated(chunk, waiting)) yield chunk;
    } finally {
      read();
    }
  }
  const own = { __getUnfilteredFullStream: followed, _waitUntilFinished: () => ended.then(() => isRead) };
  return inheriting(stream, own);
};

/** Whether a chunk is the finish of a suspended run. In a thread the run goes on: its subscribers take a finish for its end. */
const endsSuspended = ({ type, payload }: Chunk): boolean =>
  type === 'finish' && fieldsIn(fieldsIn(payload)['stepResult'])['reason'] === 'suspended';

/** Whether a chunk requests an approval that the subscribers of the thread already have: an `AgentController` would wait for it again. */
const isRepeated = ({ type, payload }: Chunk, waiting: readonly string[]): boolean =>
  type === 'tool-call-approval' && waiting.includes(String(fieldsIn(payload)['toolCallId']));

/** The caller's options, with the agent's as defaults. A supervisor gets `agent/refused` for a tripwire instead. */
const resultOptions = <T extends ResultOptions & Parameters<typeof hasSupervisor>[0]>(callbacks: T, agent: ResultOptions): T => {
  const { throwOnTripwire = agent.throwOnTripwire } = callbacks;
  return { ...callbacks, throwOnTripwire: throwOnTripwire && !hasSupervisor(callbacks) };
};
