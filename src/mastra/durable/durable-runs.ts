import pRetry from 'p-retry';
import { InterlockError, isInterlockError, messageOf, type ErrorCode } from '../../errors.js';
import {
  needed,
  withErrors,
  type Board,
  type RunFound,
  type Engine,
  type Program,
  type ProgramRuns,
} from '../../durable/journal.js';
import type { CallOptions } from '../call-options.js';
import type { Followed } from '../agent/callbacks.js';
import type { ResumeOptions } from '../agent/resume.js';
import { idsOf } from '../agent/loop-ports.js';
import { requestedIds } from '../memory/memory.js';
import { forkedSegment } from './fork-run.js';
import { followCalled, followPublished, createPause, subscribe, findEnd } from './following.js';
import {
  storedEnd,
  storedSegment,
  runIdOf,
  segmentId,
  splitOptions,
  type PersistedCall,
  type PersistedEnd,
  type SegmentEnd,
  type PersistedSegment,
  type SegmentRef,
} from './persisted-segment.js';
import { agentProgram } from './program.js';
import type { AttachOptions, ForkOptions, RunFilter, RunOwner } from './operation-options.js';
import { erase, listRuns, prune, readIndexEntry, type RunMetrics } from './run-operations.js';
import { createRunQueue, type RunQueue } from './run-queue.js';
import { createLocalRuns } from './local-runs.js';
import { resumedSegment, type DurableAgent, type DurableContext } from './start-persisted-run.js';
import { pick } from '../../phase/plain-data.js';

/** The runs of an agent on an engine. */
export type DurableRuns = ReturnType<typeof createDurableRuns>;

/** Hosts an agent's runs on its engine. */
export const createDurableRuns = (parts: DurableAgent) => {
  const localRuns = createLocalRuns();
  const hosted = Promise.withResolvers<Board>(); // an engine may start a run before it returns its board
  const { runQueue, deadlineMs } = parts.setup.guards;
  const queue = createRunQueue(runQueue);
  const counts = { recovered: 0 };
  let watch: NodeJS.Timeout | undefined;
  const watchDeadlines = (): void => {
    watch ??= setInterval(() => void endOverdue(context).catch(() => undefined), overdueMs).unref(); // an engine that is away: the next check does it
  };
  const program = agentProgram(parts, { localRuns, board: hosted.promise, queue, counts, watchDeadlines });
  const runs = hostCoded(parts.engine, program);
  const { board } = runs;
  hosted.resolve(board);
  const context: DurableContext = { parts, localRuns, runs, board, pause: createPause() };
  if (deadlineMs !== undefined) watchDeadlines();
  return {
    /** The time limit of runs whose call sets none. */
    deadlineMs,
    metrics: () => metricsOf(context, queue, counts),
    list: (filter: RunFilter) => listRuns(context, filter),
    /** Cancels the runs of a resource, and deletes their stored data. */
    erase: (resourceId: string) => erase(context, resourceId, (runId) => cancelRun(context, runId)),
    prune: (olderThan: Date) => prune(context, olderThan),
    /** Starts a run, or follows an existing run with its id. */
    start: (call: PersistedCall, here: CallOptions) =>
      startSegment(context, segmentRef(call.runId, 0), { here, segment: { call } }),
    /** Follows the last segment of a run, from an offset of its published entries. */
    attach: async (runId: string, options: AttachOptions) => {
      await checkOwner(context, runId, options);
      return followPublished(context, await lastSegment(context, runId), options.from);
    },
    /** Resumes a run that is suspended or about to be. */
    resume: async (resuming: ResumeOptions) => {
      const { runId, options, memory, requestContext } = resuming;
      await checkOwner(context, runId, requestedIds(memory, requestContext));
      const { id, number } = await lastSegment(context, runId);
      const end = await endOf(context, id);
      if (!end.state || end.state.status !== 'suspended') throw new InterlockError('agent/no-suspended-run', { path: runId });
      const segment = await resumedSegment(parts, end, resuming);
      const { here } = splitOptions(options);
      return startSegment(context, segmentRef(runId, number + 1), { here, segment, taken: 'agent/no-suspended-run' });
    },
    /** Ends a run as canceled, in any process. */
    cancel: async (runId: string, owner?: RunOwner) => {
      await checkOwner(context, runId, owner);
      await cancelRun(context, runId);
    },
    ...repairsOf(context),
  };
};

const repairable = { retry: 'only a lost run can be retried', abandon: 'only a queued or running run can be abandoned' } as const;

/** The operations on runs that cannot continue. */
const repairsOf = (context: DurableContext) => {
  const { runs, board } = context;
  const repair = async (operation: 'retry' | 'abandon', runId: string, owner: RunOwner | undefined): Promise<string> => {
    await checkOwner(context, runId, owner);
    const { id } = await lastSegment(context, runId);
    if (!(await needed(runs[operation], operation)(id))) throw await wrongState(context, id, repairable[operation]);
    return id;
  };
  return {
    /** Continues a run that the engine gave up, from its journal. */
    retry: (runId: string, owner?: RunOwner) => repair('retry', runId, owner),
    /** Gives up a run without running any of it. Its stored data remains. */
    abandon: async (runId: string, owner?: RunOwner) => {
      await board.pin(await repair('abandon', runId, owner), undefined); // it no longer waits
    },
    /** Starts a run that continues from a step of another run. */
    fork: async (runId: string, point: ForkOptions) => {
      await checkOwner(context, runId, point);
      const newRunId = point.newRunId ?? idsOf(context.parts.agent, 'run')();
      const segment = await forkedSegment(context, await lastSegment(context, runId), { ...point, newRunId });
      return startSegment(context, segmentRef(newRunId, 0), { here: {}, segment, taken: 'durable/other-input' });
    },
  };
};

/** Milliseconds between two checks for runs that wait past their deadline. */
const overdueMs = 5_000;

/** Ends the runs that wait for a person past their deadline. */
const endOverdue = async (context: DurableContext): Promise<void> => {
  const waiting = (await context.board.pinned()).flatMap(({ note }) => readIndexEntry(note));
  for (const { runId, deadlineAt = Infinity } of waiting) if (deadlineAt <= Date.now()) await cancelRun(context, runId);
};

const cancelRun = async (context: DurableContext, runId: string): Promise<void> => {
  const { runs } = context;
  for (;;) {
    const { id, number } = await lastSegment(context, runId);
    let found = await runs.find(id);
    if (found.kind === 'running') {
      await runs.cancel(id);
      found = await soonFound(context, id);
    }
    const end = suspendedIn(found, id);
    if (!end) return;
    const input = storedSegment.write({ call: end.call, resumes: { state: end.state } });
    if (await runs.start({ ...pick(end.call, ...labels), runId: segmentId(runId, number + 1), input })) return;
    // Another caller has resumed it in this moment.
  }
};

/** The end of a run segment after which its run waits for a person. */
const suspendedIn = (found: RunFound, id: string): PersistedEnd | undefined => {
  const end = found.kind === 'ended' ? storedEnd.read(found.output, id) : undefined;
  return end?.state && end.state.status === 'suspended' ? end : undefined;
};

/** The error for an operation that needs another state of a run. */
const wrongState = async ({ runs }: DurableContext, id: string, wanted: string): Promise<InterlockError> => {
  const found = await runs.find(id);
  const state = suspendedIn(found, id) ? 'suspended' : found.kind;
  return new InterlockError('durable/wrong-state', { path: runIdOf(id), detail: `${wanted}, and this one is ${state}.` });
};

/** Fields of a call that the engine receives in addition to its input. */
const labels = ['resourceId', 'priority'] as const;

const segmentRef = (runId: string, number: number): SegmentRef => ({ runId, number, id: segmentId(runId, number) });

interface StartSegmentOptions {
  readonly segment: PersistedSegment;
  readonly here: CallOptions;
  /** The error code if the run segment has already started. Default: the call follows it. */
  readonly taken?: ErrorCode;
}

const startSegment = async (
  context: DurableContext,
  at: SegmentRef,
  { segment, here, taken }: StartSegmentOptions,
): Promise<Followed> => {
  const { runs, localRuns } = context;
  const { id, runId } = at;
  const input = storedSegment.write(segment);
  const cancel = (): void => void whenReachable(() => runs.cancel(id)).catch(() => undefined);
  const removeListener = (): void => here.abortSignal?.removeEventListener('abort', cancel); // a signal may outlive the run
  try {
    const isFirst = await localRuns.start(id, here, () => runs.start({ ...pick(segment.call, ...labels), runId: id, input }));
    if (!isFirst && taken) throw new InterlockError(taken, { path: runId });
    if (!isFirst) await checkCall(context, at, segment.call);
    here.abortSignal?.addEventListener('abort', cancel, { once: true });
    if (here.abortSignal?.aborted) await runs.cancel(id);
    const followed = await followCalled(context, at);
    void followed.ended.then(removeListener);
    return followed;
  } catch (error) {
    removeListener();
    localRuns.release(id, here);
    throw error;
  }
};

/** Retries an operation as long as the engine's server is away; that does not keep the process alive. */
const whenReachable = (act: () => Promise<void>): Promise<void> =>
  pRetry(act, {
    retries: Infinity,
    minTimeout: 250,
    maxTimeout: 10_000,
    unref: true,
    shouldRetry: ({ error }) => isInterlockError(error, 'durable/unreachable'),
  });

/** A run starts once under its id. A caller that repeats the same call follows the run; a different call is rejected. */
const checkCall = async (context: DurableContext, at: SegmentRef, own: PersistedCall): Promise<void> => {
  const { messagesHash, runId, resourceId } = own;
  const subscription = subscribe(context, at);
  while (!(await subscription.hasStarted())) await context.pause();
  const { call } = subscription;
  if (call?.messagesHash === undefined) return;
  if (call.resourceId === resourceId && call.messagesHash === messagesHash) return;
  throw new InterlockError('durable/other-input', { path: runId });
};

/** Run segments are numbered without gaps. */
const lastSegment = async ({ runs }: DurableContext, runId: string): Promise<SegmentRef> => {
  for (let number = 0; ; number += 1) {
    const found = await runs.find(segmentId(runId, number));
    if (found.kind !== 'absent') continue;
    if (number === 0) throw new InterlockError('durable/no-run', { path: runId });
    return segmentRef(runId, number - 1);
  }
};

/** The number of checks for the end of a canceled run. Without a process to handle the cancellation, it ends later. */
const maxChecks = 10;

/** A run may be suspended before it receives the request to end. */
const soonFound = async ({ runs, pause }: DurableContext, id: string): Promise<RunFound> => {
  for (let remaining = maxChecks; ; remaining -= 1) {
    const found = await runs.find(id);
    if (found.kind !== 'running' || remaining === 0) return found;
    await pause();
  }
};

const endOf = async (context: DurableContext, id: string): Promise<SegmentEnd> => {
  for (;;) {
    const end = await findEnd(context, id);
    if (end) return end;
    await context.pause();
  }
};

/** Hosts a program on an engine. Errors of the engine or its driver, now and later, become the cause of `durable/engine-failed`. */
const hostCoded = ({ name: engine, host }: Engine, program: Program): ProgramRuns => {
  try {
    return withErrors((cause, name) => toCoded(cause, `${engine}.${name}`), host(program));
  } catch (cause) {
    throw toCoded(cause, engine);
  }
};

const toCoded = (cause: unknown, path: string): InterlockError =>
  isInterlockError(cause) ? cause : new InterlockError('durable/engine-failed', { path, detail: messageOf(cause), cause });

/** Rejects an operation on a run of another resource, as if the run did not exist. Raises `durable/no-run`. */
const checkOwner = async ({ runs }: DurableContext, runId: string, { resourceId }: RunOwner = {}): Promise<void> => {
  if (resourceId === undefined) return;
  const [first] = (await needed(runs.list, 'resourceId')({ runId: segmentId(runId, 0) })) ?? [];
  if (first?.resourceId !== resourceId) throw new InterlockError('durable/no-run', { path: runId });
};

const metricsOf = async (
  context: DurableContext,
  queue: RunQueue,
  { recovered }: Pick<RunMetrics, 'recovered'>,
): Promise<RunMetrics> => {
  const { runs } = context;
  const listed = await listRuns(context, { limit: Infinity });
  const count = (...wanted: readonly string[]): number => listed.filter(({ status }) => wanted.includes(status)).length;
  const started = listed.flatMap(({ status, startedAt }) =>
    startedAt && (status === 'queued' || status === 'running') ? [startedAt.getTime()] : [],
  );
  const journalBytes = await runs.storedBytes?.();
  return {
    queued: runs.list ? count('queued') : queue.queued,
    running: runs.list ? count('running') : queue.running,
    waiting: count('suspended', 'needs-decision'),
    recovered,
    lost: count('lost'),
    oldestAgeMs: started.length > 0 ? Math.max(Date.now() - Math.min(...started), 0) : 0,
    ...(journalBytes !== undefined && { journalBytes }),
  };
};
