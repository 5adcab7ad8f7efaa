import type { Run } from '../../loop/run.js';
import type { CallOptions } from '../call-options.js';

/** A run segment in this process. */
export interface LocalRun {
  readonly run: Run;
  /** Identifies this process in the published entries of the run segment, see `Publisher`. */
  readonly life: string;
  /** Settles when the run segment is over here. Rejects if it was interrupted and continues elsewhere or later. */
  readonly driven: Promise<void>;
}

/** The segments of an agent's runs in this process: those with a waiting caller, and those that run here. */
export interface LocalRuns {
  /** Stores the options of the first waiting caller before the run segment starts. Returns whether the caller is the first. */
  reserve(id: string, here: CallOptions): boolean;
  /** The options of the caller that waits for a run segment. */
  callerOf(id: string): CallOptions | undefined;
  /** Registers a run segment that runs here. */
  register(id: string, localRun: LocalRun): Promise<void>;
  find(id: string): LocalRun | undefined;
  /** Removes a run segment that is no longer needed here. */
  remove(id: string): void;
  /** Settles as soon as a run segment starts here, or after `withinMs`. */
  arrival(id: string, withinMs: number): Promise<void>;
}

export const createLocalRuns = (): LocalRuns => {
  const callers = new Map<string, CallOptions>();
  const taken = new Map<string, LocalRun>();
  const waiting = new Map<string, Set<() => void>>();
  return {
    reserve: (id, here) => {
      const isFirst = !callers.has(id);
      if (isFirst) callers.set(id, here);
      return isFirst;
    },
    callerOf: (id) => callers.get(id),
    register: (id, localRun) => {
      const { driven } = localRun;
      taken.set(id, localRun);
      const clear = (): void => {
        if (taken.get(id) === localRun && !callers.has(id)) taken.delete(id); // the caller that reserved it has yet to find it
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
