import { useCallback, useEffect, useRef, useState } from 'react';
import { get } from './request.js';
import { asError } from './use-action.js';

type Loaded<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'loaded'; readonly value: T }
  | { readonly state: 'failed'; readonly error: Error };

/** The same, and a function that loads again. */
export type Loading<T> = Loaded<T> & { readonly reload: () => void };

/** The time that a person rests on a row, before its data is requested. */
export const restMs = 120;

/**
 * Loads data when the page shows it, and again when `load` changes or `reload` is called. Old data stays visible
 * while new data is loaded.
 *
 * @param load a function from `useCallback`
 * @param afterMs it is called only if the page still shows the data then, e.g. while a person moves along a run
 */
export const useLoaded = <T>(load: (signal: AbortSignal) => Promise<T>, afterMs = 0): Loading<T> => {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' });
  const underWay = useRef<AbortController>(undefined);
  const reload = useCallback(() => {
    underWay.current?.abort();
    const { signal } = (underWay.current = new AbortController());
    const settle = (settled: Loaded<T>) => {
      if (!signal.aborted) setLoaded(settled);
    };
    load(signal).then(
      (value) => settle({ state: 'loaded', value }),
      (thrown: unknown) => settle({ state: 'failed', error: asError(thrown) }),
    );
  }, [load]);
  useEffect(() => {
    const timer = afterMs === 0 ? reload() : setTimeout(reload, afterMs);
    return () => {
      clearTimeout(timer ?? undefined);
      underWay.current?.abort();
    };
  }, [reload, afterMs]);
  return { ...loaded, reload };
};

/** Loads a resource of the API. */
export const useGet = <T>(path: string, afterMs?: number): Loading<T> =>
  useLoaded(
    useCallback((signal) => get<T>(path, signal), [path]),
    afterMs,
  );
