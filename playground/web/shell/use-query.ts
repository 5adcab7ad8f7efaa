import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { searchNow } from './place.js';

/** Sets or, with `undefined`, takes away values of the address; `push` makes it a step of the history. */
export type ChangeQuery = (changes: Readonly<Record<string, string | undefined>>, how?: 'replace' | 'push') => void;

/** The query of the address: what a page shows of itself can be sent as a link. */
export const useQuery = (): readonly [URLSearchParams, ChangeQuery] => {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const query = useMemo(() => new URLSearchParams(search), [search]);
  const change = useCallback<ChangeQuery>(
    (changes, how = 'replace') => {
      const next = new URLSearchParams(searchNow());
      for (const [name, value] of Object.entries(changes)) {
        if (value === undefined || value === '') next.delete(name);
        else next.set(name, value);
      }
      const text = next.toString();
      navigate(text === '' ? path : `${path}?${text}`, { replace: how === 'replace' });
    },
    [path, navigate],
  );
  return [query, change];
};
