import type { Board, Durable, Program, ProgramCall } from '../../durable/journal.js';
import { drive } from '../../loop/drive.js';
import { Interruption } from '../../loop/interruption.js';
import type { Run } from '../../loop/run.js';
import { keepJournal } from '../../loop/state/keep-journal.js';
import { objectOf } from '../structured-output/structured-output.js';
import type { CodeChange } from '../options/own-options.js';
import { beginKept, type MakeOptions } from './begin-kept.js';
import { endOf, readSitting, sittingNumber, writeEnd, type KeptSitting } from './kept-sitting.js';
import { restingNote, tellChange } from './resting-notes.js';
import type { Seats } from './seats.js';
import { setUp, type DurableAgent } from './set-up.js';
import { createTelling, type Telling } from './telling.js';

/** The program of an agent: one sitting of a run, from its beginning to its end or to where it rests. */
export const agentProgram = (parts: DurableAgent, { seats, board }: Surroundings): Program => ({
  id: parts.agent.id,
  run: async (durable, call) => {
    const sitting = readSitting(call.input);
    const giveUp = new AbortController();
    const { runId } = sitting.call;
    const notices = await board;
    const telling = createTelling({ board: notices, sitting: sittingNumber(call.runId), call: sitting.call });
    try {
      const begun = await begin(parts, sitting, { durable, call, seats, telling, board: notices, givenUp: giveUp.signal });
      if ('error' in begun) return writeEnd(begun);
      const { run } = begun;
      await telling.open();
      if (sitting.resumes || telling.hasWaited) await notices.pin(runId, undefined);
      run.options.outlet.drain(); // it waits for nobody to read
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
  },
});

/** What an agent's program lives in. */
export interface Surroundings {
  readonly seats: Seats;
  readonly board: Promise<Board>;
}

interface Beginning {
  readonly durable: Durable;
  readonly telling: Telling;
  readonly call: ProgramCall;
  readonly seats: Seats;
  readonly givenUp: AbortSignal;
  readonly board: Board;
}

/** Sets the run up; that it cannot be set up at all is kept, that it cannot be set up again is not. */
const begin = async (
  parts: DurableAgent,
  { call: asked, resumes }: KeptSitting,
  { durable, call, seats, telling, board, givenUp }: Beginning,
): Promise<{ run: Run } | { error: unknown }> => {
  const seat = seats.callerOf(call.runId);
  const isCanceled = resumes !== undefined && !resumes.answered;
  const signals = [durable.canceled, givenUp, seat?.abortSignal, isCanceled ? AbortSignal.abort() : undefined];
  const abortSignal = AbortSignal.any(signals.filter((signal) => signal !== undefined));
  const { show } = telling;
  const journal = telling.around(keepJournal(durable, { begun: resumes?.state, isFenced: parts.engine.isFenced ?? false }));
  const make = (own: MakeOptions) => setUp(parts, asked, { here: { ...seat, abortSignal }, journal, show, ...own });
  const onChange = (change: CodeChange): Promise<void> => tellChange(change, { board, telling });
  return beginKept({ durable, runId: asked.runId, resumes, make, acceptChangedCode: parts.acceptChangedCode, onChange });
};
