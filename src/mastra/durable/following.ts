import { noJournal } from '../../loop/journal.js';
import type { Chunk } from '../../loop/ports.js';
import type { Run } from '../../loop/run.js';
import { writeKept } from '../../loop/state/kept-state.js';
import type { KeptEnd } from './kept-sitting.js';
import { lookAgainMs, listen, pause, type Keeping, type Listening, type SittingOf } from './listening.js';
import type { Seat } from './seats.js';
import { setUp } from './set-up.js';
import { readChunk, type Told } from './told.js';

/** A run that somebody waits for, wherever it goes on. */
export interface Followed {
  readonly run: Run;
  /** Settles when the sitting is over; never rejects. */
  readonly ended: Promise<void>;
}

/** A sitting as whoever has asked for it follows it: here, where it goes on here, or as it is told from elsewhere. */
export const followCalled = async (keeping: Keeping, sitting: SittingOf): Promise<Followed> => {
  const { seats } = keeping;
  const listening = listen(keeping, sitting);
  try {
    for (;;) {
      const isTold = await listening.isTold();
      const seat = seats.find(sitting.id);
      if (seat) return { run: seat.run, ended: watch(keeping, sitting, seat) };
      if (isTold) break;
      await seats.arrival(sitting.id, lookAgainMs);
    }
  } catch (error) {
    seats.leave(sitting.id);
    throw error;
  }
  seats.leave(sitting.id);
  return standIn(keeping, listening, (told) => told.sitting === sitting.number);
};

/** A sitting as it is told, and where a place is given everything that was told of its run from there on. */
export const followTold = async (keeping: Keeping, sitting: SittingOf, from: number | undefined): Promise<Followed> => {
  const listening = listen(keeping, sitting);
  while (!(await listening.isTold())) await pause();
  return standIn(keeping, listening, (told) => (from === undefined ? told.sitting === sitting.number : told.sequence >= from));
};

/** Which of the chunks that are heard are wanted. */
type Wanted = (told: Told) => boolean;

/** A run that shows what is told of another, and is made what that has left. */
const standIn = async ({ parts }: Keeping, listening: Listening, isWanted: Wanted): Promise<Followed> => {
  const { call } = listening;
  if (!call) throw (await listening.again())?.error;
  const run = await setUp(parts, call, { here: {}, journal: noJournal }); // it does not go on here
  return { run, ended: passOn(run, listening, isWanted) };
};

/** Where a sitting is interrupted, it is followed wherever it goes on. */
const watch = async (keeping: Keeping, sitting: SittingOf, { run, driven, life }: Seat): Promise<void> => {
  const { seats } = keeping;
  try {
    await driven;
  } catch {
    if (seats.find(sitting.id)?.run === run) seats.leave(sitting.id);
    const { outlet } = run.options;
    outlet.dropHeld(); // whoever goes on holds it again
    outlet.show();
    const listening = listen(keeping, sitting);
    const { lives } = listening;
    await passOn(run, listening, (told) => lives.indexOf(told.life) > lives.indexOf(life));
  } finally {
    seats.leave(sitting.id);
  }
};

/** Shows what is told until the sitting is over. The last chunk is shown with the end that it tells of. */
const passOn = async (run: Run, listening: Listening, isWanted: Wanted): Promise<void> => {
  try {
    for (;;) {
      const end = await listening.again();
      await showTold(run, listening, { isWanted, isOver: end !== undefined });
      if (end) return settle(run, end);
      await pause();
    }
  } catch (error) {
    settle(run, { error });
  }
};

interface Showing {
  readonly isWanted: Wanted;
  readonly isOver: boolean;
}

const showTold = async (
  { options: { outlet } }: Run,
  { told, number, withSteps }: Listening,
  { isWanted, isOver }: Showing,
): Promise<void> => {
  for (let one = told[0]; one; one = told[0]) {
    const chunk = readChunk(one);
    const isLast = chunk.type === 'finish' && one.sitting === number;
    if (isLast && !isOver) return;
    told.shift();
    const whole = withSteps(chunk);
    const written = isWanted(one) ? outlet.write(tagged(whole, one)) : undefined;
    if (!isLast) await written;
  }
};

/** Who is cut off goes on from where the last chunk stood. */
const tagged = (chunk: Chunk, { sequence, at }: Told): Chunk => ({ ...chunk, metadata: { ...at, ...chunk.metadata, sequence } });

const settle = (run: Run, { state, error }: KeptEnd): void => {
  if (state) writeKept(run, state);
  else Object.assign(run, { status: 'failed', error });
  run.options.outlet.close();
};
