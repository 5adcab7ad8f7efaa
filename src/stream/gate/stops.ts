import { strictest, type Stop } from '../../verdict.js';

/** The reason why a stream is stopped, and the guards that are running. Each guard runs at an offset of the response, see `Gate.place`. */
export interface Stops {
  /** The stop that counts, once it is decided. */
  readonly stopped: Stop | undefined;
  /** Whether any guard has requested a stop. */
  readonly isStopping: boolean;
  /** The smallest offset at which a guard has requested a stop; infinite if none has. */
  readonly first: number;
  /** The number of running guards. */
  readonly busy: number;
  stop(verdict: Stop, place: number): void;
  start(place: number): void;
  done(place: number): void;
  /** Passes text to all guards; no stop counts before each of them has it. */
  handOut<T>(act: () => T): T;
}

/**
 * Decides which stop counts: the one at the smallest offset, and among several there the strictest. A block ends the stream once no guard
 * is running at a smaller offset; milder stops also wait for guards at the same offset, which may be stricter. So neither the speed of
 * guards nor the chunks' borders matter.
 */
export const createStops = (onStopped: () => void): Stops => {
  const stops: { readonly verdict: Stop; readonly place: number }[] = [];
  /** The number of running guards, by offset. */
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
    const remaining = (working.get(place) ?? 0) + by;
    if (remaining > 0) working.set(place, remaining);
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
    start: (place) => count(place, 1),
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
