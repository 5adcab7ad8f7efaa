import { InterlockError } from '../../errors.js';
import type { Board, RunFound, StartCall } from '../../durable/journal.js';
import { memoryBoard } from '../../durable/memory-board.js';
import type { Answered } from '../../loop/resume-run.js';
import type { RunMode } from '../../loop/ports.js';
import type { Run } from '../../loop/run.js';
import type { CallOptions } from '../call-options.js';
import { followCalled, followTold, type Followed } from './following.js';
import { readEnd, sittingId, writeSitting, type KeptCall, type KeptEnd, type KeptSitting } from './kept-sitting.js';
import { listen, look, pause, type Keeping, type SittingOf } from './listening.js';
import { agentProgram } from './program.js';
import { checkOwner, erase, listKept, prune, type Erased, type RunFilter, type RunSummary } from './run-operations.js';
import { createRunQueue } from './run-queue.js';
import { metricsOf, type RunCounts, type RunMetrics } from './run-metrics.js';
import { createSeats } from './seats.js';
import { restoredRun, type DurableAgent } from './set-up.js';

/** The runs of an agent on an engine. */
export interface DurableRuns {
  /** What a run may take where its call does not say it. */
  readonly deadlineMs: number | undefined;
  /** Begins a run, or follows the one that there is under its id. */
  begin(call: KeptCall, here: CallOptions): Promise<Followed>;
  /** Follows the last sitting of a run, from a place of what is told of it on. */
  attach(runId: string, options: AttachOptions): Promise<Followed>;
  /** Goes on with a run that rests, or will. */
  resume(resuming: ResumingRun): Promise<Followed>;
  /** Ends a run as canceled, wherever it is. */
  cancel(runId: string, owner?: RunOwner): Promise<void>;
  /** Continues a run that the engine gave up, from what its journal holds. */
  retry(runId: string, owner?: RunOwner): Promise<void>;
  /** Deletes what is kept of runs that ended before a time; says of how many. */
  prune(olderThan: Date): Promise<number>;
  /** Cancels the runs of a resource, and deletes what is kept of them. */
  erase(resourceId: string): Promise<Erased>;
  list(filter: RunFilter): Promise<readonly RunSummary[]>;
  /** What becomes of the runs, in numbers. */
  metrics(): Promise<RunMetrics>;
}

/** In whose name a run is asked for. */
export interface RunOwner {
  /** A run of another resource is `durable/no-run`. Default: not checked. */
  readonly resourceId?: string;
}

export interface AttachOptions extends RunOwner {
  /** The least `metadata.sequence` of the chunks that are given; 0 for all of them. Default: those of the last sitting. */
  readonly from?: number;
}

export interface ResumingRun extends RunOwner {
  readonly runId: string;
  readonly mode: RunMode;
  readonly here: CallOptions;
  /** Reads what was said; raises where it does not answer what the run waits for. */
  answer(rested: Run): Answered;
}

/** Has an engine run an agent's runs. */
export const createDurableRuns = (parts: DurableAgent): DurableRuns => {
  const seats = createSeats();
  const hosted = Promise.withResolvers<Board>(); // an engine may begin with a run before it has given its board
  const { runQueue, deadlineMs } = parts.setup.guards;
  const queue = createRunQueue(runQueue);
  const counts: RunCounts = { recovered: 0 };
  const runs = parts.engine.host(agentProgram(parts, { seats, board: hosted.promise, queue, counts }));
  const board = runs.board ?? memoryBoard();
  hosted.resolve(board);
  const keeping: Keeping = { parts, seats, runs, board };
  const owned = (runId: string, { resourceId }: RunOwner = {}): Promise<void> => checkOwner(keeping, runId, resourceId);
  return {
    deadlineMs,
    metrics: () => metricsOf(keeping, queue, counts),
    list: (filter) => listKept(keeping, filter),
    erase: (resourceId) => erase(keeping, resourceId, (runId) => cancelRun(keeping, runId)),
    begin: (call, here) => start(keeping, sittingOf(call.runId, 0), { here, sitting: { call } }),
    attach: async (runId, { from, ...owner }) => {
      await owned(runId, owner);
      return followTold(keeping, await lastSitting(keeping, runId), from);
    },
    resume: async ({ runId, mode, here, answer, resourceId }) => {
      await owned(runId, { resourceId });
      const { id, number } = await lastSitting(keeping, runId);
      const end = await endOf(keeping, id);
      if (!end.state || end.state.status !== 'suspended') throw new InterlockError('agent/no-suspended-run', { path: runId });
      const answered = answer(await restoredRun(parts, end));
      const sitting: KeptSitting = { call: { ...end.call, mode }, resumes: { state: end.state, answered } };
      return start(keeping, sittingOf(runId, number + 1), { here, sitting, isNew: true });
    },
    cancel: async (runId, owner) => {
      await owned(runId, owner);
      await cancelRun(keeping, runId);
    },
    retry: async (runId, owner) => {
      await owned(runId, owner);
      const { id } = await lastSitting(keeping, runId);
      if (!runs.retry) throw new InterlockError('durable/unsupported-operation', { path: 'retry' });
      if (!(await runs.retry(id)))
        throw new InterlockError('durable/no-run', { path: runId, detail: 'the engine did not give it up.' });
    },
    prune: (olderThan) => prune(keeping, olderThan),
  };
};

const cancelRun = async (keeping: Keeping, runId: string): Promise<void> => {
  const { runs } = keeping;
  const { id, number } = await lastSitting(keeping, runId);
  let found = await runs.find(id);
  if (found.kind === 'running') {
    await runs.cancel(id);
    found = await soonFound(keeping, id);
  }
  const end = found.kind === 'ended' ? readEnd(found.output) : undefined;
  if (!end?.state || end.state.status !== 'suspended') return undefined;
  const input = writeSitting({ call: end.call, resumes: { state: end.state } });
  await runs.start({ ...labelsOf(end.call), runId: sittingId(runId, number + 1), input });
};

/** What the engine receives of a run besides its input. */
const labelsOf = ({ resourceId, priority }: KeptCall): Pick<StartCall, 'resourceId' | 'priority'> => ({ resourceId, priority });

const sittingOf = (runId: string, number: number): SittingOf => ({ runId, number, id: sittingId(runId, number) });

interface Starting {
  readonly sitting: KeptSitting;
  readonly here: CallOptions;
  /** Whether it is refused where the sitting was begun already. */
  readonly isNew?: boolean;
}

const start = async (keeping: Keeping, at: SittingOf, { sitting, here, isNew }: Starting): Promise<Followed> => {
  const { runs, seats } = keeping;
  const { id, runId } = at;
  const input = writeSitting(sitting);
  seats.reserve(id, here);
  const isFirst = await runs.start({ ...labelsOf(sitting.call), runId: id, input });
  if (!isFirst && isNew) {
    seats.leave(id);
    throw new InterlockError('agent/no-suspended-run', { path: runId });
  }
  if (!isFirst) await checkAsked(keeping, at, sitting.call);
  const cancel = (): void => void runs.cancel(id).catch(() => undefined);
  here.abortSignal?.addEventListener('abort', cancel, { once: true });
  const stopListening = (): void => here.abortSignal?.removeEventListener('abort', cancel); // a signal outlives runs
  try {
    if (here.abortSignal?.aborted) await runs.cancel(id);
    const followed = await followCalled(keeping, at);
    void followed.ended.then(stopListening);
    return followed;
  } catch (error) {
    stopListening();
    throw error;
  }
};

/** A run is begun once under its id; who asks again with the same call follows it, and another call is refused. */
const checkAsked = async (keeping: Keeping, at: SittingOf, { asked, runId }: KeptCall): Promise<void> => {
  const listening = listen(keeping, at);
  while (!(await listening.isTold())) await pause();
  const { call } = listening;
  if (call?.asked === undefined || call.asked === asked) return;
  throw new InterlockError('durable/other-input', { path: runId });
};

/** Sittings are numbered without gaps. */
const lastSitting = async ({ runs }: Keeping, runId: string): Promise<SittingOf> => {
  for (let number = 0; ; number += 1) {
    const found = await runs.find(sittingId(runId, number));
    if (found.kind !== 'absent') continue;
    if (number === 0) throw new InterlockError('durable/no-run', { path: runId });
    return sittingOf(runId, number - 1);
  }
};

/** How often it is looked whether a run that was asked to end has ended; where nobody is there to hear it, it ends later. */
const looks = 10;

/** A run may come to rest before it hears that it is to end. */
const soonFound = async ({ runs }: Keeping, id: string): Promise<RunFound> => {
  for (let left = looks; ; left -= 1) {
    const found = await runs.find(id);
    if (found.kind !== 'running' || left === 0) return found;
    await pause();
  }
};

const endOf = async (keeping: Keeping, id: string): Promise<KeptEnd> => {
  for (;;) {
    const end = await look(keeping, id);
    if (end) return end;
    await pause();
  }
};
