import { useCallback, useState } from 'react';

/** A request that a person started on a page, and its outcome. */
type Action<T> =
  | { readonly state: 'idle' | 'busy' }
  | { readonly state: 'done'; readonly value: T }
  | { readonly state: 'failed'; readonly error: Error };

export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** The state of the latest action; `start` never rejects. */
export const useAction = <T>(): readonly [Action<T>, start: (act: () => Promise<T>) => Promise<void>] => {
  const [action, setAction] = useState<Action<T>>({ state: 'idle' });
  const start = useCallback(async (act: () => Promise<T>): Promise<void> => {
    setAction({ state: 'busy' });
    try {
      setAction({ state: 'done', value: await act() });
    } catch (thrown) {
      setAction({ state: 'failed', error: asError(thrown) });
    }
  }, []);
  return [action, start];
};
