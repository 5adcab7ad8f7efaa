/** Computes a value on first use, so that programs without that use do not pay for it. */
export const once = <T>(compute: () => T): (() => T) => {
  let value: { readonly it: T } | undefined;
  return () => (value ??= { it: compute() }).it;
};

/**
 * A regular expression that is compiled on first use. V8 checks every literal when it parses the file, and reads tables of Unicode for each
 * `\p{…}`: they took a fifth of the time to load the guards.
 *
 * @param flags Default: `u`
 */
export const lazyRegex = (source: string, flags = 'u'): (() => RegExp) => once(() => new RegExp(source, flags));

/** Creates a map of at most `maxEntries` values; a new one replaces the least recently used. `ttlMs`: their lifetime; default: no limit. */
export const recentValues = <T>({ maxEntries, ttlMs = Infinity }: { maxEntries: number; ttlMs?: number | undefined }) => {
  const entries = new Map<string, { readonly value: T; readonly setAt: number }>(); // in the order of last use
  return {
    get: (key: string): T | undefined => {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      if (performance.now() - entry.setAt > ttlMs) return undefined;
      entries.set(key, entry);
      return entry.value;
    },
    set: (key: string, value: T): void => {
      entries.delete(key);
      entries.set(key, { value, setAt: performance.now() });
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    },
  };
};
