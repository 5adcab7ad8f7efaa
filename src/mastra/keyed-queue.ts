/** Runs work with the same key one after the other, within this process. */
export const createKeyedQueue = () => {
  const latest = new Map<string, Promise<unknown>>();
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const turn = latest.get(key)?.then(work, work) ?? work();
    latest.set(key, turn);
    const clear = (): void => {
      if (latest.get(key) === turn) latest.delete(key);
    };
    turn.then(clear, clear);
    return turn;
  };
};
