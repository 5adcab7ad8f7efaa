import { InterlockError, isInterlockError } from '../../errors.js';
import type { Durable, Program, ProgramCall } from '../../durable/journal.js';
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
import { readSitting, writeEnd, type KeptSitting } from './kept-sitting.js';
import type { Seats } from './seats.js';
import { setUp, type DurableAgent } from './set-up.js';

/** The program of an agent: one sitting of a run, from its beginning to its end or to where it rests. */
export const agentProgram = (parts: DurableAgent, seats: Seats): Program => ({
  id: parts.agent.id,
  run: async (durable, call) => {
    const sitting = readSitting(call.input);
    const giveUp = new AbortController();
    try {
      const begun = await begin(parts, sitting, { durable, call, seats, givenUp: giveUp.signal });
      if ('error' in begun) return writeEnd(begun);
      const { run } = begun;
      await seats.occupy(call.runId, run, drive(run));
      run.options.recording?.end(run, objectOf(run).object);
      return endOf(run, sitting);
    } catch (error) {
      giveUp.abort(error); // what is still at work here is not kept
      throw error instanceof Interruption ? error.cause : error; // the engine knows its own
    }
  },
});

interface Beginning {
  readonly durable: Durable;
  readonly call: ProgramCall;
  readonly seats: Seats;
  readonly givenUp: AbortSignal;
}

/** How a sitting began, as it is kept. */
type Begun = { readonly code: string } | { readonly error: unknown };

/** Sets the run up; that it cannot be set up at all is kept, that it cannot be set up again is not. */
const begin = async (
  parts: DurableAgent,
  sitting: KeptSitting,
  { durable, call, seats, givenUp }: Beginning,
): Promise<{ run: Run } | { error: unknown }> => {
  const seat = seats.callerOf(call.runId);
  const { call: asked, resumes } = sitting;
  const isCanceled = resumes !== undefined && !resumes.answered;
  const signals = [durable.canceled, givenUp, seat?.abortSignal, isCanceled ? AbortSignal.abort() : undefined];
  const abortSignal = AbortSignal.any(signals.filter((signal) => signal !== undefined));
  const make = () => setUp(parts, asked, { here: { ...seat, abortSignal }, journal: keepJournal(durable, resumes?.state) });
  let run: Run | undefined;
  const text = await durable.step('begin', async () => {
    try {
      run = await make();
      return encode({ code: codeOf(run) } satisfies Begun);
    } catch (error) {
      return encode({ error } satisfies Begun);
    }
  });
  const begun = decode(text) as Begun;
  if ('error' in begun) return begun;
  run ??= await make();
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
