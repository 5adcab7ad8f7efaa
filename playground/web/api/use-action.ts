import { useCallback, useState } from 'react';

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
