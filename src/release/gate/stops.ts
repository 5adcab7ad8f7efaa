import { strictest, type Stop } from '../../verdict.js';

/** Why a stream is stopped, and which guards are at work. Each guard is at work on the chunk at which it was asked, counted from 1. */
export interface Stops {
  /** The stop that counts, once it is known. */
  readonly stopped: Stop | undefined;
  /** Whether any guard has asked for a stop. */
  readonly isStopping: boolean;
  /** The earliest chunk about which a guard has asked for a stop; infinite where none has. */
  readonly first: number;
  /** How many guards are at work. */
  readonly busy: number;
  stop(verdict: Stop, chunk: number): void;
  begin(chunk: number): void;
  done(chunk: number): void;
}

/**
 * Decides which stop counts: that of the earliest chunk, and there the strictest. A block ends the stream once no guard is at work on an
 * earlier chunk; anything milder also waits for those at work on its own, which may be stricter. So it does not matter which guard is
 * faster.
 */
export const createStops = (onStopped: () => void): Stops => {
  const stops: { readonly verdict: Stop; readonly chunk: number }[] = [];
  /** How many guards are at work, by chunk. */
  const working = new Map<number, number>();
  let stopped: Stop | undefined;
  let first = Infinity;
  let busy = 0;
  const decide = (): void => {
    if (stopped || stops.length === 0) return;
    const there = stops.flatMap(({ verdict, chunk }) => (chunk === first ? [verdict] : []));
    const isBlock = there.some(({ kind }) => kind === 'trip');
    for (const chunk of working.keys()) if (chunk < first || (chunk === first && !isBlock)) return;
    stopped = strictest(there);
    onStopped();
  };
  const count = (chunk: number, by: 1 | -1): void => {
    busy += by;
    const left = (working.get(chunk) ?? 0) + by;
    if (left > 0) working.set(chunk, left);
    else working.delete(chunk);
  };
  return {
    get stopped() {
      return stopped;
    },
    get isStopping() {
      return stops.length > 0;
    },
    get first() {
      return first;
    },
    get busy() {
      return busy;
    },
    stop: (verdict, chunk) => {
      stops.push({ verdict, chunk });
      first = Math.min(first, chunk);
      decide();
    },
    begin: (chunk) => count(chunk, 1),
    done: (chunk) => {
      count(chunk, -1);
      decide();
    },
  };
};
