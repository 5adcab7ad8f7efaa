import { TakenOver, type Board, type BoardEntry } from './journal.js';

interface RunEntries {
  readonly entries: BoardEntry[];
  /** The place of the last entry of a process that took over the run. */
  life: number;
}

/** A board that only this process can read. */
export const memoryBoard = (): Board => {
  const runs = new Map<string, RunEntries>();
  const notes = new Map<string, string>();
  const of = (runId: string): readonly BoardEntry[] => runs.get(runId)?.entries ?? [];
  return {
    append: async (runId, added, life) => {
      const run = runs.get(runId) ?? { entries: [], life: -1 };
      if (life !== undefined && run.life > life) throw new TakenOver();
      const place = run.entries.length;
      for (const entry of added) {
        if (entry.mark === 'life') run.life = run.entries.length;
        run.entries.push(entry);
      }
      runs.set(runId, run);
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
