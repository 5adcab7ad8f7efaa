import { setInterval } from 'node:timers/promises';
import type { Board, Durable, OutsideWait, Program, ProgramCall } from '../../durable/journal.js';
import { drive } from '../../loop/drive.js';
import { Interruption } from '../../loop/interruption.js';
import { createPersistedJournal } from '../../loop/state/persisted-journal.js';
import { anySignal } from '../../phase/awaitable.js';
import { abortAfter } from '../model/model-call.js';
import { endRecording } from '../agent/callbacks.js';
import { startPersistedRun, setUp, type MakeOptions, type DurableAgent } from './start-persisted-run.js';
import {
  endOf,
  runIdOf,
  segmentId,
  segmentNumber,
  storedEnd,
  storedSegment,
  type PersistedCall,
  type PersistedSegment,
} from './persisted-segment.js';
import type { NeedsDecision } from './operation-options.js';
import type { RunQueue, Turn } from './run-queue.js';
import type { LocalRuns } from './local-runs.js';
import { createPublisher, needsDecisionType } from './publisher.js';
import { InterlockError, isInterlockError } from '../../errors.js';
import { encode, journalFormat } from '../../loop/state/encode.js';
import { type Run, waitingCalls } from '../../loop/run.js';
import { toListed } from '../agent/suspended-runs.js';
import type { CodeChange } from '../options/own-options.js';

/** The program of an agent: it runs one segment of a run, until the run ends or suspends. */
export const agentProgram = (parts: DurableAgent, surroundings: ProgramParts): Program => ({
  id: parts.agent.id,
  run: async (durable, call) => {
    const segment = segmentOf(call);
    if ('error' in segment) return waitUnread(call, segment.error, { ...surroundings, durable });
    const { runId, deadlineAt, priority = 0 } = segment.call;
    const stay = stayOf(durable, deadlineAt, surroundings.localRuns.enter(call.runId));
    const delayMs = deadlineAt === undefined ? undefined : deadlineAt - Date.now();
    const deadline = abortAfter(delayMs, () => new InterlockError('run/deadline', { path: runId }));
    const waiting = new AbortController();
    void lookWhileWaiting(durable, waiting.signal);
    const isOnlyEnded = segment.resumes !== undefined && !segment.resumes.answered;
    const only = isOnlyEnded ? [AbortSignal.abort(deadline.signal.reason)] : [];
    const ended = AbortSignal.any([durable.canceled, deadline.signal, ...only]);
    try {
      const turn = { runId: call.runId, priority, ended: AbortSignal.any([ended, durable.over ?? ended]), ...stay };
      return await surroundings.queue.run(turn, () => {
        waiting.abort();
        return runSegment(parts, { durable: afterFork(durable, segment), call, sitting: segment, ended, ...surroundings });
      });
    } finally {
      waiting.abort();
      deadline.clear();
      stay.end();
    }
  },
});

/** Milliseconds between two checks for a cancellation of a run that waits for its turn. */
const lookMs = 1_000;

const lookWhileWaiting = async ({ lookForCancel }: Durable, signal: AbortSignal): Promise<void> => {
  if (!lookForCancel) return;
  const ticks = setInterval(lookMs, undefined, { signal, ref: false });
  try {
    for await (const _ of ticks) await lookForCancel().catch(() => undefined); // the next check does it
  } catch {
    return; // its turn has come
  }
};

/**
 * The stay of a run in this process. A run that waits outside keeps its mark here until this process wakes it.
 *
 * @param leave removes the mark of a run that waits for its turn here
 */
const stayOf = (durable: Durable, until: number | undefined, leave: () => void) => {
  let isOutside = false;
  const waitOutside: Turn['waitOutside'] = async (onLeave) => {
    const wait: OutsideWait['onLeave'] = (wake, withinMs) => {
      isOutside = true;
      const wakeHere = (): void => {
        leave();
        wake();
      };
      onLeave({ wake: wakeHere, withinMs, forget: leave });
    };
    await durable.waitOutside?.({ until, onLeave: wait });
    isOutside = false;
  };
  return {
    ...(durable.waitOutside && { waitOutside }),
    end: () => {
      if (!isOutside) leave();
    },
  };
};

const segmentOf = ({ input, runId }: ProgramCall): PersistedSegment | { readonly error: unknown } => {
  try {
    return storedSegment.read(input, runId);
  } catch (error) {
    return { error };
  }
};

/** A run that this process cannot read waits for a process that can. */
const waitUnread = async (
  { runId: id }: ProgramCall,
  error: unknown,
  { board, durable }: Pick<SegmentParts, 'board' | 'durable'>,
): Promise<never> => {
  const runId = runIdOf(id);
  const change = changeIn(error, runId);
  const call: PersistedCall = { runId, mode: 'stream', messages: [], options: {} };
  const notices = await board;
  const publisher = isInterlockError(error, 'durable/unreadable')
    ? undefined
    : createPublisher({ durable, board: notices, sitting: segmentNumber(id), call });
  if (change) await publishChange(change, { id, board: notices, publisher });
  throw error;
};

interface SegmentParts extends ProgramParts {
  readonly durable: Durable;
  readonly call: ProgramCall;
  readonly sitting: PersistedSegment;
  /** Aborted when the run is to end. */
  readonly ended: AbortSignal;
}

/** Runs one segment, from its stored input to its end. */
const runSegment = async (
  parts: DurableAgent,
  { durable, call, sitting: segment, ended, localRuns, board, counts, watchDeadlines }: SegmentParts,
): Promise<string> => {
  const giveUp = new AbortController();
  const { runId } = segment.call;
  const notices = await board;
  const publisher = createPublisher({ durable, board: notices, sitting: segmentNumber(call.runId), call: segment.call });
  const caller = localRuns.callerOf(call.runId);
  const here = { ...caller, abortSignal: anySignal([ended, giveUp.signal, caller?.abortSignal]) };
  const { acceptChangedCode, engine } = parts;
  const startedWith = segment.resumes?.state;
  const journal = createPersistedJournal(durable, { startedWith, isFenced: engine.isFenced ?? false, records: publisher });
  const shared = { here, journal, show: publisher.show, resumedFrom: segment.resumes?.span };
  const make = (own: MakeOptions) => setUp(parts, segment.call, { ...shared, ...own });
  try {
    const started = await startPersistedRun({ durable, segment, make, acceptChangedCode });
    if ('error' in started) return storedEnd.write(started);
    const { run } = started;
    if (started.isRecovered) counts.recovered += 1;
    run.options.streamBuffer.drain(); // the run does not wait for readers
    const announceAndDrive = async (): Promise<void> => {
      if (segment.resumes || started.isRecovered) await notices.pin(call.runId, undefined);
      await drive(run);
    };
    await localRuns.register(call.runId, { run, published: publisher, driven: announceAndDrive() }); // first, so that its caller follows it here
    endRecording(run);
    await publisher.flush(); // a run does not end with records that are not stored
    publisher.end();
    const summary = encodeWaiting(run, segment.call.deadlineAt);
    if (summary !== undefined) await notices.pin(segmentId(runId, segmentNumber(call.runId) + 1), summary);
    if (summary !== undefined && segment.call.deadlineAt !== undefined) watchDeadlines();
    return endOf(run, started.segment);
  } catch (error) {
    giveUp.abort(error); // work still in progress here is not persisted
    const cause = error instanceof Interruption ? error.cause : error;
    const change = changeIn(cause, runId);
    if (change) await publishChange(change, { id: call.runId, board: notices, publisher });
    publisher.end();
    throw cause; // the engine recognizes its own errors
  }
};

/** The shared parts of an agent's program. */
interface ProgramParts {
  readonly localRuns: LocalRuns;
  readonly board: Promise<Board>;
  readonly queue: RunQueue;
  readonly counts: { recovered: number };
  /** From now on this process ends suspended runs at their deadlines. */
  watchDeadlines(): void;
}

/** A durable that returns the steps of the original run instead of repeating them. */
const afterFork = (durable: Durable, { forked }: PersistedSegment): Durable => {
  if (!forked) return durable;
  const known = new Map(forked.map(({ key, text }) => [key, text]));
  return {
    ...durable,
    step: async (key, ...rest) => known.get(key) ?? durable.step(key, ...rest),
  };
};

/**
 * The index entry of a suspended run for its owner; it contains no data of other resources. It is pinned under the id of the segment that
 * it waits for, which removes it: a late attempt at an earlier segment cannot.
 */
const encodeWaiting = (run: Run, deadlineAt: number | undefined): string | undefined => {
  if (run.state.status !== 'suspended' || waitingCalls(run).length === 0) return undefined;
  const listed = toListed({ run, suspendedAt: new Date(run.options.ports.wallClock()) });
  return encode(deadlineAt === undefined ? listed : { ...listed, deadlineAt });
};

/** The code change in an error for which a run or its sub-agent waits. A journal that this process cannot read may be readable in another. */
const changeIn = (error: unknown, runId: string): CodeChange | undefined => {
  if (isInterlockError(error, 'durable/changed-code') || isInterlockError(error, 'durable/unknown-format'))
    return { ...(error.cause as Omit<CodeChange, 'runId'>), runId }; // as raised
  if (!isInterlockError(error, 'durable/damaged') && !isInterlockError(error, 'durable/unreadable')) return undefined;
  return { runId, from: 'unreadable', to: `format ${journalFormat}`, changes: [error.message] };
};

/**
 * Publishes that a run waits for its code: in the index, and to followers, once for each change, even if several processes try. The entry
 * is removed when the run continues. Without a publisher followers get nothing: plain text would spoil an encrypted stream.
 */
const publishChange = async (
  change: CodeChange,
  { id, board, publisher }: { id: string; board: Board; publisher: ReturnType<typeof createPublisher> | undefined },
): Promise<void> => {
  const { runId, ...data } = change;
  const text = encode({ ...change, status: 'needs-decision' } satisfies NeedsDecision);
  if ((await board.pinned()).some((one) => one.runId === id && one.note === text)) return;
  await publisher?.open();
  if (publisher?.hasLast === false) void publisher.show({ type: needsDecisionType, runId, from: 'AGENT', data });
  await publisher?.flush();
  await board.pin(id, text);
};
