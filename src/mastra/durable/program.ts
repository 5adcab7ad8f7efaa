import { InterlockError, isInterlockError } from '../../errors.js';
import type { Board, Durable, Program, ProgramCall } from '../../durable/journal.js';
import { drive } from '../../loop/drive.js';
import { failWith } from '../../loop/judge.js';
import { Interruption } from '../../loop/interruption.js';
import { answer } from '../../loop/resume-run.js';
import type { Run } from '../../loop/run.js';
import { decode, encode } from '../../loop/state/encode.js';
import { keepJournal } from '../../loop/state/keep-journal.js';
import { keptState, writeKept } from '../../loop/state/kept-state.js';
import { objectOf } from '../structured-output/structured-output.js';
import { codeOf } from './code-of.js';
import { readSitting, sittingNumber, writeEnd, type KeptSitting } from './kept-sitting.js';
import { restingNote } from './resting-notes.js';
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
      const begun = await begin(parts, sitting, { durable, call, seats, telling, givenUp: giveUp.signal });
      if ('error' in begun) return writeEnd(begun);
      const { run } = begun;
      if (sitting.resumes) await notices.pin(runId, undefined);
      run.options.outlet.drain(); // it waits for nobody to read
      await seats.occupy(call.runId, { run, life: telling.life, driven: telling.open().then(() => drive(run)) });
      run.options.recording?.end(run, objectOf(run).object);
      await telling.flush();
      await notices.pin(runId, restingNote(run));
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
}

/** How a sitting began, as it is kept. */
type Begun = { readonly code: string; readonly messageId: string } | { readonly error: unknown };

/** Sets the run up; that it cannot be set up at all is kept, that it cannot be set up again is not. */
const begin = async (
  parts: DurableAgent,
  sitting: KeptSitting,
  { durable, call, seats, telling, givenUp }: Beginning,
): Promise<{ run: Run } | { error: unknown }> => {
  const seat = seats.callerOf(call.runId);
  const { call: asked, resumes } = sitting;
  const isCanceled = resumes !== undefined && !resumes.answered;
  const signals = [durable.canceled, givenUp, seat?.abortSignal, isCanceled ? AbortSignal.abort() : undefined];
  const abortSignal = AbortSignal.any(signals.filter((signal) => signal !== undefined));
  const { show } = telling;
  const journal = telling.around(keepJournal(durable, resumes?.state));
  const make = (isBeginning: boolean) => setUp(parts, asked, { here: { ...seat, abortSignal }, journal, show, isBeginning });
  let run: Run | undefined;
  const text = await durable.step('begin', async () => {
    try {
      run = await make(!resumes);
      return encode({ code: codeOf(run), messageId: run.messageId } satisfies Begun);
    } catch (error) {
      return encode({ error } satisfies Begun);
    }
  });
  const begun = decode(text) as Begun;
  if ('error' in begun) return begun;
  run ??= await make(false);
  run.messageId = begun.messageId; // it is told before anything else is kept
  await checkCode(parts, asked.runId, { from: begun.code, to: codeOf(run) });
  if (resumes) {
    writeKept(run, { ...resumes.state, status: undefined });
    if (resumes.answered) answer(run, resumes.answered);
  }
  return { run };
};

const checkCode = async ({ acceptChangedCode }: DurableAgent, runId: string, { from, to }: { from: string; to: string }) => {
  if (from === to || (await acceptChangedCode?.({ runId, from, to }))) return;
  throw new InterlockError('durable/changed-code', { path: runId, detail: `it was begun by ${from}, and this is ${to}.` });
};

/** What is left of a run. Where something in it is no data, the run ends as failed, with what was kept of it before. */
const endOf = (run: Run, { call }: KeptSitting): string => {
  const kept = { ...call, messages: [] }; // they stand in the state
  try {
    return writeEnd({ call: kept, state: keptState(run) });
  } catch (error) {
    if (!isInterlockError(error, 'durable/unkept-value')) throw error;
    failWith(run, run.error ?? error);
    return writeEnd({ error: run.error });
  }
};
