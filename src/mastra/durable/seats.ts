import type { Run } from '../../loop/run.js';
import type { CallOptions } from '../call-options.js';

/** A sitting that goes on in this process. */
export interface Seat {
  readonly run: Run;
  /** Stands for this process in what is told of the sitting, see `Telling`. */
  readonly life: string;
  /** Settles when the sitting is over here; rejects where it was interrupted, to go on elsewhere or later. */
  readonly driven: Promise<void>;
}

/** The sittings of an agent's runs in this process: who waits for them, and which go on here. */
export interface Seats {
  /** Notes what somebody who waits wants of a sitting, before it begins. */
  reserve(id: string, here: CallOptions): void;
  /** What whoever waits for a sitting wants of it. */
  callerOf(id: string): CallOptions | undefined;
  /** A sitting goes on here. */
  occupy(id: string, seat: Seat): Promise<void>;
  find(id: string): Seat | undefined;
  /** Nobody needs to find it here any more. */
  leave(id: string): void;
  /** Settles as soon as a sitting begins here, or after some milliseconds. */
  arrival(id: string, withinMs: number): Promise<void>;
}

export const createSeats = (): Seats => {
  const callers = new Map<string, CallOptions>();
  const taken = new Map<string, Seat>();
  const waiting = new Map<string, Set<() => void>>();
  return {
    reserve: (id, here) => void callers.set(id, here),
    callerOf: (id) => callers.get(id),
    occupy: (id, seat) => {
      const { driven } = seat;
      taken.set(id, seat);
      const clear = (): void => {
        if (taken.get(id) === seat && !callers.has(id)) taken.delete(id); // whoever reserved it still has to find it
      };
      driven.then(clear, clear);
      for (const arrive of waiting.get(id) ?? []) arrive();
      return driven;
    },
    find: (id) => taken.get(id),
    leave: (id) => {
      callers.delete(id);
      taken.delete(id);
    },
    arrival: (id, withinMs) =>
      new Promise((resolve) => {
        const those = waiting.get(id) ?? new Set();
        waiting.set(id, those);
        const done = (): void => {
          clearTimeout(timer);
          those.delete(done);
          if (those.size === 0) waiting.delete(id);
          resolve();
        };
        const timer = setTimeout(done, withinMs);
        those.add(done);
      }),
  };
};
