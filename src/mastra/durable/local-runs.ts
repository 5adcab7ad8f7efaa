import type { Run } from '../../loop/run.js';
import type { CallOptions } from '../call-options.js';

/** A run segment that goes on in this process. */
export interface LocalRun {
  readonly run: Run;
  /** Stands for this process in what is told of the run segment, see `Publisher`. */
  readonly life: string;
  /** Settles when the run segment is over here; rejects where it was interrupted, to go on elsewhere or later. */
  readonly driven: Promise<void>;
}

/** The segments of an agent's runs in this process: who waits for them, and which go on here. */
export interface LocalRuns {
  /** Notes what somebody who waits wants of a run segment, before it begins. */
  reserve(id: string, here: CallOptions): void;
  /** What whoever waits for a run segment wants of it. */
  callerOf(id: string): CallOptions | undefined;
  /** A run segment goes on here. */
  register(id: string, localRun: LocalRun): Promise<void>;
  find(id: string): LocalRun | undefined;
  /** Nobody needs to find it here any more. */
  remove(id: string): void;
  /** Settles as soon as a run segment begins here, or after some milliseconds. */
  arrival(id: string, withinMs: number): Promise<void>;
}

export const createLocalRuns = (): LocalRuns => {
  const callers = new Map<string, CallOptions>();
  const taken = new Map<string, LocalRun>();
  const waiting = new Map<string, Set<() => void>>();
  return {
    reserve: (id, here) => void callers.set(id, here),
    callerOf: (id) => callers.get(id),
    register: (id, localRun) => {
      const { driven } = localRun;
      taken.set(id, localRun);
      const clear = (): void => {
        if (taken.get(id) === localRun && !callers.has(id)) taken.delete(id); // whoever reserved it still has to find it
      };
      driven.then(clear, clear);
      for (const arrive of waiting.get(id) ?? []) arrive();
      return driven;
    },
    find: (id) => taken.get(id),
    remove: (id) => {
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
