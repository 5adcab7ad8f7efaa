import { recentValues } from '../phase/recent-values.js';

/** What is known of runs that are under way, and for a while of those that have ended: shadows may still judge them, and people resume them. */
interface KnownRuns<T> {
  get(runId: string): T | undefined;
  begin(runId: string, known: T): void;
  end(runId: string): void;
}

/** So many ended runs are remembered. */
const mostEnded = 1_000;

/** Makes an empty book of runs. */
export const createKnownRuns = <T extends object>(): KnownRuns<T> => {
  const underWay = new Map<string, T>();
  const ended = recentValues<T>({ maxEntries: mostEnded });
  return {
    get: (runId) => underWay.get(runId) ?? ended.get(runId),
    begin: (runId, known) => void underWay.set(runId, known),
    end: (runId) => {
      const known = underWay.get(runId);
      underWay.delete(runId);
      if (known) ended.set(runId, known);
    },
  };
};
