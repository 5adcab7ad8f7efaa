import { EventEmitter, once } from 'node:events';
import type { Run } from '../../loop/run.js';
import type { CallOptions } from '../call-options.js';
import { createKeyedQueue } from '../keyed-queue.js';

/** A run segment in this process. */
interface LocalRun {
  readonly run: Run;
  /** The records of the run segment that this process has stored, see `Publisher`. */
  readonly published: { readonly next: number };
  /** Settles when the run segment is over here. Rejects if it was interrupted and continues elsewhere or later. */
  readonly driven: Promise<void>;
}

/** The segments of an agent's runs in this process: those with a waiting caller, and those that run here. */
export type LocalRuns = ReturnType<typeof createLocalRuns>;

export const createLocalRuns = () => {
  const callers = new Map<string, CallOptions>();
  const taken = new Map<string, LocalRun>();
  const here = new Set<string>();
  const inTurn = createKeyedQueue();
  const arrivals = new EventEmitter<Record<string, []>>().setMaxListeners(0);
  const remove = (id: string): void => {
    callers.delete(id);
    taken.delete(id);
  };
  return {
    /**
     * Starts a run segment for a caller. Starts of one segment run one after the other, so that the options of the first caller belong to
     * the run that it starts.
     */
    start: (id: string, options: CallOptions, start: () => Promise<boolean>) =>
      inTurn(id, () => {
        if (!callers.has(id)) callers.set(id, options);
        return start();
      }),
    /** Removes the options of a caller that does not follow the run segment. */
    release: (id: string, options: CallOptions): void => {
      if (callers.get(id) === options) remove(id);
    },
    /** The options of the caller that waits for a run segment. */
    callerOf: (id: string) => callers.get(id),
    /** Marks a run segment as waiting for its turn here, or running here. The returned function removes the mark. */
    enter: (id: string) => {
      here.add(id);
      return (): void => {
        here.delete(id);
        arrivals.emit(id);
      };
    },
    /** Whether a run segment has that mark. */
    isHere: (id: string) => here.has(id),
    /** Registers a run segment that runs here. */
    register: (id: string, localRun: LocalRun) => {
      const { driven } = localRun;
      taken.set(id, localRun);
      const clear = (): void => {
        if (taken.get(id) === localRun && !callers.has(id)) taken.delete(id); // the caller that reserved it has yet to find it
      };
      driven.then(clear, clear);
      arrivals.emit(id);
      return driven;
    },
    find: (id: string) => taken.get(id),
    /** Removes a run segment that is no longer needed here. */
    remove,
    /** Settles as soon as a run segment starts here, or leaves without a start, or after `withinMs`. */
    arrival: async (id: string, withinMs: number): Promise<void> => {
      const waiting = new AbortController();
      const timer = setTimeout(() => waiting.abort(), withinMs);
      await once(arrivals, id, waiting).catch(() => undefined);
      clearTimeout(timer);
    },
  };
};
