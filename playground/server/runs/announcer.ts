/** Tells listeners of things that change often, each thing at most once in a while, and its last state always. */
export interface Announcer<T> {
  announce(key: string, read: () => T): void;
  /** Listens; the function given back stops that. */
  listen(listener: (value: T) => void): () => void;
}

/** For so long changes of a thing are collected. */
const pauseMs = 100;

export const createAnnouncer = <T>(): Announcer<T> => {
  const listeners = new Set<(value: T) => void>();
  const waiting = new Map<string, () => T>();
  let timer: NodeJS.Timeout | undefined;
  const tell = () => {
    timer = undefined;
    const values = [...waiting.values()].map((read) => read());
    waiting.clear();
    for (const value of values) for (const listener of listeners) listener(value);
  };
  return {
    announce: (key, read) => {
      if (listeners.size === 0) return;
      waiting.set(key, read);
      timer ??= setTimeout(tell, pauseMs).unref();
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
