interface RecentValuesOptions {
  readonly maxEntries: number;
  /** How long a value is kept after it was set; default: until others take its place. */
  readonly ttlMs?: number | undefined;
}

/** A map that holds the values used last. */
export interface RecentValues<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
}

/** Keeps as many values as `maxEntries` says; the one whose use is longest ago makes room. */
export const recentValues = <T>({ maxEntries, ttlMs = Infinity }: RecentValuesOptions): RecentValues<T> => {
  const entries = new Map<string, { readonly value: T; readonly setAt: number }>(); // in the order of their use
  return {
    get: (key) => {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      if (performance.now() - entry.setAt > ttlMs) return undefined;
      entries.set(key, entry);
      return entry.value;
    },
    set: (key, value) => {
      entries.delete(key);
      entries.set(key, { value, setAt: performance.now() });
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    },
  };
};
