import { recentValues } from '../phase/recent-values.js';

/** Data of active runs, and for a while of ended runs: shadows may still judge those, and users may resume them. */
interface KnownRuns<T> {
  get(runId: string): T | undefined;
  add(runId: string, known: T): void;
  end(runId: string): void;
}

/** Maximum number of ended runs kept. */
const mostEnded = 1_000;

/** Creates an empty registry of runs. */
export const createKnownRuns = <T extends object>(): KnownRuns<T> => {
  const underWay = new Map<string, T>();
  const ended = recentValues<T>({ maxEntries: mostEnded });
  return {
    get: (runId) => underWay.get(runId) ?? ended.get(runId),
    add: (runId, known) => void underWay.set(runId, known),
    end: (runId) => {
      const known = underWay.get(runId);
      underWay.delete(runId);
      if (known) ended.set(runId, known);
    },
  };
};
