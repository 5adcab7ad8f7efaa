import { setImmediate } from 'node:timers/promises';
import type { Awaitable } from '../phase/awaitable.js';
import type { Board } from './journal.js';

/**
 * Collects the calls of one turn of the event loop, and makes them together: `all` gets each different key once, and returns the values in
 * the order of the keys. A value may be a promise, so that one that rejects does not affect the others.
 */
export const together = <Value>(
  all: (keys: readonly string[]) => Awaitable<readonly Awaitable<Value>[]>,
): ((key: string) => Promise<Value>) => {
  let open: { readonly keys: Set<string>; readonly values: Promise<ReadonlyMap<string, Awaitable<Value>>> } | undefined;
  const collect = () => {
    const keys = new Set<string>();
    const made = async () => {
      await setImmediate();
      open = undefined;
      const values = await all([...keys]);
      return new Map([...keys].map((key, index) => [key, values[index] as Awaitable<Value>])); // one value for each key
    };
    return { keys, values: made() };
  };
  return async (key) => {
    open ??= collect();
    open.keys.add(key);
    const values = await open.values;
    return values.get(key) as Awaitable<Value>; // each key of the call has a value
  };
};

/** The place in a run's entries from which a reader reads. */
type ReadPlace = readonly [runId: string, from: number];

/** A board's `read` that makes the reads of one turn together, as {@link together} does. */
export const readTogether = (
  all: (places: readonly ReadPlace[]) => Awaitable<readonly Awaitable<readonly string[]>[]>,
): Board['read'] => {
  const read = together((keys) => all(keys.map((key) => JSON.parse(key) as ReadPlace))); // as written below
  return (runId, from) => read(JSON.stringify([runId, from] satisfies ReadPlace));
};
