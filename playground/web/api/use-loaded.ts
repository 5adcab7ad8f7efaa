import { useCallback, useEffect, useRef, useState } from 'react';
import { get } from './request.js';

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

/** A request that a person started on a page, and its outcome. */
export interface Action<T> {
  readonly state: 'idle' | 'busy' | 'done' | 'failed';
  /** Of the latest request that succeeded. */
  readonly value?: T;
  /** Set if it failed. */
  readonly error?: Error;
}

export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** The state of the latest action; `start` never rejects, and returns its value. */
export const useAction = <T>(): readonly [Action<T>, start: (act: () => Promise<T>) => Promise<T | undefined>] => {
  const [action, setAction] = useState<Action<T>>({ state: 'idle' });
  const start = useCallback(async (act: () => Promise<T>): Promise<T | undefined> => {
    setAction(({ value }) => ({ state: 'busy', ...(value !== undefined && { value }) }));
    try {
      const value = await act();
      setAction({ state: 'done', value });
      return value;
    } catch (thrown) {
      setAction({ state: 'failed', error: asError(thrown) });
      return undefined;
    }
  }, []);
  return [action, start];
};
