import { TakenOver, type Board, type BoardEntry } from './journal.js';

/** A board that only this process can read. */
export const memoryBoard = (): Board => {
  const entries = new Map<string, BoardEntry[]>();
  const notes = new Map<string, string>();
  const of = (runId: string): BoardEntry[] => entries.get(runId) ?? [];
  return {
    append: async (runId, added, life) => {
      const place = of(runId).length;
      if (life !== undefined && of(runId).findLastIndex(({ mark }) => mark === 'life') > life) throw new TakenOver();
      entries.set(runId, [...of(runId), ...added]);
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
    drop: async (runId) => void entries.delete(runId),
    pinned: async () => [...notes].map(([runId, note]) => ({ runId, note })).toReversed(),
  };
};
