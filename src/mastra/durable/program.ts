import type { Board, Durable, Program, ProgramCall } from '../../durable/journal.js';
import { drive } from '../../loop/drive.js';
import { Interruption } from '../../loop/interruption.js';
import { keepJournal } from '../../loop/state/keep-journal.js';
import { objectOf } from '../structured-output/structured-output.js';
import type { CodeChange } from '../options/own-options.js';
import { beginKept, type MakeOptions } from './begin-kept.js';
import { endOf, readSitting, sittingNumber, writeEnd, type KeptSitting } from './kept-sitting.js';
import { restingNote, tellChange } from './resting-notes.js';
import { runDeadline } from './run-deadline.js';
import type { RunCounts } from './run-metrics.js';
import type { RunQueue } from './run-queue.js';
import type { Seats } from './seats.js';
import { setUp, type DurableAgent } from './set-up.js';
import { createTelling, type Telling } from './telling.js';

/** The program of an agent: one sitting of a run, from its beginning to its end or to where it rests. */
export const agentProgram = (parts: DurableAgent, surroundings: Surroundings): Program => ({
  id: parts.agent.id,
  run: async (durable, call) => {
    const sitting = readSitting(call.input);
    const { runId, deadlineAt, priority = 0 } = sitting.call;
    const deadline = runDeadline(runId, deadlineAt);
    const ending = AbortSignal.any([durable.canceled, deadline.signal, ...(isCanceled(sitting) ? [AbortSignal.abort()] : [])]);
    try {
      return await surroundings.queue.run({ priority, ending }, () =>
        sit(parts, { durable, call, sitting, ending, ...surroundings }),
      );
    } finally {
      deadline.clear();
    }
  },
});

/** Whether a sitting only ends a run that rested. */
const isCanceled = ({ resumes }: KeptSitting): boolean => resumes !== undefined && !resumes.answered;

interface Sitting extends Surroundings {
  readonly durable: Durable;
  readonly call: ProgramCall;
  readonly sitting: KeptSitting;
  /** Aborted when the run is to end. */
  readonly ending: AbortSignal;
}

/** One sitting, from where it is kept to its end. */
const sit = async (parts: DurableAgent, { durable, call, sitting, ending, seats, board, counts }: Sitting): Promise<string> => {
  const giveUp = new AbortController();
  const { runId } = sitting.call;
  const notices = await board;
  const telling = createTelling({ board: notices, sitting: sittingNumber(call.runId), call: sitting.call });
  const signals = [ending, giveUp.signal];
  try {
    const begun = await begin(parts, sitting, { durable, call, seats, telling, board: notices, signals });
    if ('error' in begun) return writeEnd(begun);
    const { run } = begun;
    await telling.open();
    if (begun.isRecovered) counts.recovered += 1;
    if (sitting.resumes || telling.hasWaited) await notices.pin(runId, undefined);
    run.options.outlet.drain(); // it does not wait for a reader
    await seats.occupy(call.runId, { run, life: telling.life, driven: drive(run) });
    run.options.recording?.end(run, objectOf(run).object);
    await telling.flush();
    const note = restingNote(run);
    if (note !== undefined) await notices.pin(runId, note);
    return endOf(run, sitting);
  } catch (error) {
    giveUp.abort(error); // what is still at work here is not kept
    throw error instanceof Interruption ? error.cause : error; // the engine knows its own
  }
};

/** What an agent's program lives in. */
export interface Surroundings {
  readonly seats: Seats;
  readonly board: Promise<Board>;
  readonly queue: RunQueue;
  readonly counts: RunCounts;
}

interface Beginning {
  readonly durable: Durable;
  readonly telling: Telling;
  readonly call: ProgramCall;
  readonly seats: Seats;
  /** Each ends the run. */
  readonly signals: readonly AbortSignal[];
  readonly board: Board;
}

/** Sets the run up; that it cannot be set up at all is kept, that it cannot be set up again is not. */
const begin = async (
  parts: DurableAgent,
  { call: asked, resumes }: KeptSitting,
  { durable, call, seats, telling, board, signals }: Beginning,
): ReturnType<typeof beginKept> => {
  const seat = seats.callerOf(call.runId);
  const abortSignal = AbortSignal.any([...signals, seat?.abortSignal].filter((signal) => signal !== undefined));
  const { show } = telling;
  const journal = telling.around(keepJournal(durable, { begun: resumes?.state, isFenced: parts.engine.isFenced ?? false }));
  const make = (own: MakeOptions) => setUp(parts, asked, { here: { ...seat, abortSignal }, journal, show, ...own });
  const onChange = (change: CodeChange): Promise<void> => tellChange(change, { board, telling });
  return beginKept({ durable, runId: asked.runId, resumes, make, acceptChangedCode: parts.acceptChangedCode, onChange });
};
