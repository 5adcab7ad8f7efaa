import { strictest, type Stop } from '../../verdict.js';

/** Why a stream is stopped, and which guards are at work. Each guard is at work on a place of the answer, see `Gate.place`. */
export interface Stops {
  /** The stop that counts, once it is known. */
  readonly stopped: Stop | undefined;
  /** Whether any guard has asked for a stop. */
  readonly isStopping: boolean;
  /** The earliest place about which a guard has asked for a stop; infinite where none has. */
  readonly first: number;
  /** How many guards are at work. */
  readonly busy: number;
  stop(verdict: Stop, place: number): void;
  begin(place: number): void;
  done(place: number): void;
  /** Hands text to all guards; no stop counts before each of them has it. */
  handOut<T>(act: () => T): T;
}

/**
 * Decides which stop counts: that of the earliest place, and there the strictest. A block ends the stream once no guard is at work on an
 * earlier place; anything milder also waits for those at work on its own, which may be stricter. So it matters neither which guard is
 * faster nor how the answer is cut into chunks.
 */
export const createStops = (onStopped: () => void): Stops => {
  const stops: { readonly verdict: Stop; readonly place: number }[] = [];
  /** How many guards are at work, by place. */
  const working = new Map<number, number>();
  let stopped: Stop | undefined;
  let first = Infinity;
  let busy = 0;
  let isHandingOut = false;
  const decide = (): void => {
    if (stopped || stops.length === 0 || isHandingOut) return;
    const there = stops.flatMap(({ verdict, place }) => (place === first ? [verdict] : []));
    const isBlock = there.some(({ kind }) => kind === 'trip');
    for (const place of working.keys()) if (place < first || (place === first && !isBlock)) return;
    stopped = strictest(there);
    onStopped();
  };
  const count = (place: number, by: 1 | -1): void => {
    busy += by;
    const left = (working.get(place) ?? 0) + by;
    if (left > 0) working.set(place, left);
    else working.delete(place);
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
    stop: (verdict, place) => {
      stops.push({ verdict, place });
      first = Math.min(first, place);
      decide();
    },
    begin: (place) => count(place, 1),
    done: (place) => {
      count(place, -1);
      decide();
    },
    handOut: (act) => {
      const isOuter = !isHandingOut;
      isHandingOut = true;
      try {
        return act();
      } finally {
        isHandingOut = !isOuter;
        decide();
      }
    },
  };
};
