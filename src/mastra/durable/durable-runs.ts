import { InterlockError } from '../../errors.js';
import type { Board, RunFound } from '../../durable/journal.js';
import { memoryBoard } from '../../durable/memory-board.js';
import type { Answered } from '../../loop/resume-run.js';
import type { RunMode } from '../../loop/ports.js';
import type { Run } from '../../loop/run.js';
import type { CallOptions } from '../call-options.js';
import { followCalled, followTold, type Followed } from './following.js';
import {
  readEnd,
  runIdOf,
  sittingId,
  sittingNumber,
  writeSitting,
  type KeptCall,
  type KeptEnd,
  type KeptSitting,
} from './kept-sitting.js';
import { listen, look, pause, type Keeping, type SittingOf } from './listening.js';
import { agentProgram } from './program.js';
import { readNote, type WaitingRun } from './resting-notes.js';
import { createSeats } from './seats.js';
import { restoredRun, type DurableAgent } from './set-up.js';

/** The runs of an agent on an engine. */
export interface DurableRuns {
  /** Begins a run, or follows the one that there is under its id. */
  begin(call: KeptCall, here: CallOptions): Promise<Followed>;
  /** Follows the last sitting of a run, from a place of what is told of it on. */
  attach(runId: string, from: number | undefined): Promise<Followed>;
  /** Goes on with a run that rests, or will. */
  resume(resuming: ResumingRun): Promise<Followed>;
  /** Ends a run as canceled, wherever it is. */
  cancel(runId: string): Promise<void>;
  /** Continues a run that the engine gave up, from what its journal holds. */
  retry(runId: string): Promise<void>;
  /** Deletes what is kept of runs that ended before a time; says of how many. */
  prune(olderThan: Date): Promise<number>;
  /** The runs that wait, the last one first. */
  waiting(): Promise<readonly WaitingRun[]>;
}

export interface ResumingRun {
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
  const runs = parts.engine.host(agentProgram(parts, { seats, board: hosted.promise }));
  const board = runs.board ?? memoryBoard();
  hosted.resolve(board);
  const keeping: Keeping = { parts, seats, runs, board };
  return {
    begin: (call, here) => start(keeping, sittingOf(call.runId, 0), { here, sitting: { call } }),
    attach: async (runId, from) => followTold(keeping, await lastSitting(keeping, runId), from),
    resume: async ({ runId, mode, here, answer }) => {
      const { id, number } = await lastSitting(keeping, runId);
      const end = await endOf(keeping, id);
      if (!end.state || end.state.status !== 'suspended') throw new InterlockError('agent/no-suspended-run', { path: runId });
      const answered = answer(await restoredRun(parts, end));
      const sitting: KeptSitting = { call: { ...end.call, mode }, resumes: { state: end.state, answered } };
      return start(keeping, sittingOf(runId, number + 1), { here, sitting, isNew: true });
    },
    cancel: async (runId) => {
      const { id, number } = await lastSitting(keeping, runId);
      let found = await runs.find(id);
      if (found.kind === 'running') {
        await runs.cancel(id);
        found = await soonFound(keeping, id);
      }
      const end = found.kind === 'ended' ? readEnd(found.output) : undefined;
      if (!end?.state || end.state.status !== 'suspended') return undefined;
      const input = writeSitting({ call: end.call, resumes: { state: end.state } });
      await runs.start({ runId: sittingId(runId, number + 1), input });
    },
    retry: async (runId) => {
      const { id } = await lastSitting(keeping, runId);
      if (!runs.retry) throw new InterlockError('durable/unsupported-operation', { path: 'retry' });
      if (!(await runs.retry(id)))
        throw new InterlockError('durable/no-run', { path: runId, detail: 'the engine did not give it up.' });
    },
    prune: (olderThan) => prune(keeping, olderThan),
    waiting: async () => (await board.pinned()).map(({ note }) => readNote(note)),
  };
};

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
  const isFirst = await runs.start({ runId: id, input });
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

/** A run that waits for a person has ended its last sitting, and stays. */
const prune = async ({ runs, board }: Keeping, olderThan: Date): Promise<number> => {
  const { endedBefore, drop } = runs;
  if (!endedBefore || !drop) throw new InterlockError('durable/unsupported-operation', { path: 'prune' });
  const ended = Map.groupBy(await endedBefore(olderThan), runIdOf);
  for (const { runId } of await board.pinned()) ended.delete(runId);
  let pruned = 0;
  for (const [runId, sittings] of ended) {
    if ((await runs.find(sittingId(runId, sittings.length))).kind !== 'absent') continue; // a later sitting goes on, or ended later
    await board.drop?.(runId);
    for (const id of sittings.toSorted((one, other) => sittingNumber(other) - sittingNumber(one))) await drop(id); // the first is the last to go
    pruned += 1;
  }
  return pruned;
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
