import type { MastraMemory } from '@mastra/core/memory';

/** Maps each part of a memory to the last pending write. */
type Turns = Map<string, Promise<unknown>>;

const turnsOf = new WeakMap<MastraMemory, Turns>();

/**
 * Runs work on a part of a memory after all earlier work on that part, so that a read and the write that depends on it are not
 * interleaved with another run's. Holds within this process, like Mastra's own order of such writes.
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
