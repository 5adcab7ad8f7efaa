import type { Append, Board, BoardEntry } from './journal.js';

/** The records and notes of runs in the memory of this process. */
export type MemoryBoard = Board & {
  /** Returns the place of the first record. */
  append(append: Append): number;
};

export const memoryBoard = (): MemoryBoard => {
  const runs = new Map<string, BoardEntry[]>();
  const notes = new Map<string, string>();
  const of = (runId: string): readonly BoardEntry[] => runs.get(runId) ?? [];
  return {
    append: ({ runId, at, entries }) => {
      const known = runs.get(runId) ?? [];
      const place = at ?? known.length;
      known.push(...entries.slice(known.length - place));
      runs.set(runId, known);
      return place;
    },
    read: async (runId, from) =>
      of(runId)
        .slice(from)
        .map(({ text }) => text),
    marked: async (runId, wanted) => of(runId).flatMap(({ text, mark }, place) => (mark === wanted ? [{ place, text }] : [])),
    pin: async (runId, note) => {
      notes.delete(runId);
      if (note !== undefined) notes.set(runId, note);
    },
    drop: async (runId) => void runs.delete(runId),
    pinned: async () => [...notes].map(([runId, note]) => ({ runId, note })).toReversed(),
  };
};
