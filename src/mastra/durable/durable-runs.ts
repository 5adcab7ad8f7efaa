import { InterlockError } from '../../errors.js';
import type { ProgramRuns } from '../../durable/journal.js';
import { noJournal } from '../../loop/journal.js';
import type { Answered } from '../../loop/resume-run.js';
import type { RunMode } from '../../loop/ports.js';
import type { Run } from '../../loop/run.js';
import { writeKept } from '../../loop/state/kept-state.js';
import type { CallOptions } from '../agent/call-options.js';
import { readEnd, sittingId, writeSitting, type KeptCall, type KeptEnd, type KeptSitting } from './kept-sitting.js';
import { agentProgram } from './program.js';
import { createSeats, type Seat, type Seats } from './seats.js';
import { setUp, type DurableAgent } from './set-up.js';

/** A run that somebody waits for, wherever it goes on. */
export interface Followed {
  readonly run: Run;
  /** Settles when the sitting is over; never rejects. */
  readonly ended: Promise<void>;
}

/** The runs of an agent on an engine. */
export interface DurableRuns {
  /** Begins a run, or follows the one that there is under its id. */
  begin(call: KeptCall, here: CallOptions): Promise<Followed>;
  /** Follows the last sitting of a run. */
  attach(runId: string): Promise<Followed>;
  /** Goes on with a run that rests, or will. */
  resume(resuming: ResumingRun): Promise<Followed>;
  /** Ends a run as canceled, wherever it is. */
  cancel(runId: string): Promise<void>;
}

export interface ResumingRun {
  readonly runId: string;
  readonly mode: RunMode;
  readonly here: CallOptions;
  /** Reads what was said; raises where it does not answer what the run waits for. */
  answer(rested: Run): Answered;
}

/** How long it is waited between two looks at a run that goes on elsewhere. */
const lookAgainMs = 100;

interface Keeping {
  readonly parts: DurableAgent;
  readonly seats: Seats;
  readonly runs: ProgramRuns;
}

/** Has an engine run an agent's runs. */
export const createDurableRuns = (parts: DurableAgent): DurableRuns => {
  const seats = createSeats();
  const keeping: Keeping = { parts, seats, runs: parts.engine.host(agentProgram(parts, seats)) };
  const { runs } = keeping;
  return {
    begin: (call, here) => start(keeping, sittingId(call.runId, 0), { here, sitting: { call } }),
    attach: async (runId) => follow(keeping, (await lastSitting(keeping, runId)).id),
    resume: async ({ runId, mode, here, answer }) => {
      const { id, number } = await lastSitting(keeping, runId);
      const end = await endOf(keeping, id);
      if (!end.state || end.state.status !== 'suspended') throw new InterlockError('agent/no-suspended-run', { path: runId });
      const answered = answer(await restored(keeping, end));
      const sitting: KeptSitting = { call: { ...end.call, mode }, resumes: { state: end.state, answered } };
      const next = sittingId(runId, number + 1);
      return start(keeping, next, { here, sitting, isNew: true });
    },
    cancel: async (runId) => {
      const { id, number } = await lastSitting(keeping, runId);
      const found = await runs.find(id);
      if (found.kind === 'running') return runs.cancel(id);
      const end = found.kind === 'ended' ? readEnd(found.output) : undefined;
      if (!end?.state || end.state.status !== 'suspended') return undefined;
      const input = writeSitting({ call: end.call, resumes: { state: end.state } });
      await runs.start({ runId: sittingId(runId, number + 1), input });
    },
  };
};

interface Starting {
  readonly sitting: KeptSitting;
  readonly here: CallOptions;
  /** Whether it is refused where the sitting was begun already. */
  readonly isNew?: boolean;
}

const start = async (keeping: Keeping, id: string, { sitting, here, isNew }: Starting): Promise<Followed> => {
  const { runs, seats } = keeping;
  const input = writeSitting(sitting);
  seats.reserve(id, here);
  const isFirst = await runs.start({ runId: id, input });
  if (!isFirst && isNew) {
    seats.leave(id);
    throw new InterlockError('agent/no-suspended-run', { path: sitting.call.runId });
  }
  here.abortSignal?.addEventListener('abort', () => void runs.cancel(id).catch(() => undefined), { once: true });
  if (here.abortSignal?.aborted) await runs.cancel(id);
  return follow(keeping, id);
};

/** Sittings are numbered without gaps. */
const lastSitting = async ({ runs }: Keeping, runId: string): Promise<{ id: string; number: number }> => {
  for (let number = 0; ; number += 1) {
    const found = await runs.find(sittingId(runId, number));
    if (found.kind !== 'absent') continue;
    if (number === 0) throw new InterlockError('durable/no-run', { path: runId });
    return { id: sittingId(runId, number - 1), number: number - 1 };
  }
};

/** A sitting as it goes on here, or as it has ended. */
const follow = async (keeping: Keeping, id: string): Promise<Followed> => {
  const end = await endOrSeat(keeping, id);
  if (!('driven' in end)) {
    keeping.seats.leave(id);
    return { run: await restored(keeping, end), ended: Promise.resolve() };
  }
  return { run: end.run, ended: watch(keeping, id, end) };
};

/** Where a sitting is interrupted, it is waited for wherever it goes on. */
const watch = async (keeping: Keeping, id: string, { run, driven }: Seat): Promise<void> => {
  try {
    await driven;
  } catch {
    if (keeping.seats.find(id)?.run === run) keeping.seats.leave(id);
    await endOf(keeping, id).then(
      ({ state, error }) => (state ? writeKept(run, state) : Object.assign(run, { status: 'failed', error })),
      (error: unknown) => Object.assign(run, { status: 'failed', error }),
    );
    run.options.outlet.close();
  } finally {
    keeping.seats.leave(id);
  }
};

const endOf = async (keeping: Keeping, id: string): Promise<KeptEnd> => {
  for (;;) {
    const end = await look(keeping, id);
    if (end) return end;
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
  }
};

const endOrSeat = async (keeping: Keeping, id: string): Promise<KeptEnd | Seat> => {
  const { seats } = keeping;
  for (;;) {
    const found = seats.find(id) ?? (await look(keeping, id));
    if (found) return found;
    await seats.arrival(id, lookAgainMs);
  }
};

/** What a sitting ended with; nothing while it goes on. */
const look = async ({ runs }: Keeping, id: string): Promise<KeptEnd | undefined> => {
  const found = await runs.find(id);
  switch (found.kind) {
    case 'running':
      return undefined;
    case 'ended':
      return readEnd(found.output);
    case 'absent':
      throw new InterlockError('durable/no-run', { path: id });
    case 'lost':
      throw new InterlockError('durable/lost-run', { path: id, detail: found.reason });
    default:
      return found satisfies never;
  }
};

/** A run that has ended, made again of what is left of it. */
const restored = async ({ parts }: Keeping, end: KeptEnd): Promise<Run> => {
  if (!end.state) throw end.error;
  const run = await setUp(parts, end.call, { here: {}, journal: noJournal }); // it does not go on here
  writeKept(run, end.state);
  run.options.outlet.close();
  return run;
};
