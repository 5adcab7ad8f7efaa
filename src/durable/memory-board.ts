import type { Board } from './journal.js';

/** A board that this process alone can read. */
export const memoryBoard = (): Board => {
  const entries = new Map<string, string[]>();
  const notes = new Map<string, string>();
  const of = (runId: string): string[] => entries.get(runId) ?? [];
  return {
    append: async (runId, added) => {
      const place = of(runId).length;
      entries.set(runId, [...of(runId), ...added]);
      return place;
    },
    read: async (runId, from) => of(runId).slice(from),
    pin: async (runId, note) => {
      notes.delete(runId);
      if (note !== undefined) notes.set(runId, note);
    },
    drop: async (runId) => void entries.delete(runId),
    pinned: async () => [...notes].map(([runId, note]) => ({ runId, note })).toReversed(),
  };
};
