import { setImmediate } from 'node:timers/promises';
import type { Awaitable } from '../phase/awaitable.js';

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
