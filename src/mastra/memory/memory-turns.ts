import type { MastraMemory } from '@mastra/core/memory';

/** By what is written: the last of those who write there. */
type Turns = Map<string, Promise<unknown>>;

const turnsOf = new WeakMap<MastraMemory, Turns>();

/**
 * Runs work on a part of a memory after all work on it that was begun before: what one run reads and then writes is not what another
 * is just writing. Holds within this process, as Mastra's own order of such writes does.
 */
export const inTurn = <T>(memory: MastraMemory, part: string, work: () => Promise<T>): Promise<T> => {
  const turns: Turns = turnsOf.get(memory) ?? new Map();
  turnsOf.set(memory, turns);
  const turn = (turns.get(part) ?? Promise.resolve()).then(work);
  const over = turn.then(
    () => undefined,
    () => undefined,
  );
  turns.set(part, over);
  void over.then(() => turns.get(part) === over && turns.delete(part));
  return turn;
};
