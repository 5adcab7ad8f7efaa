import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import { runFile } from '../api/request.js';
import { runHref } from './hrefs.js';

/** Sets values of the address, or removes them with `undefined`; `push` adds a step to the history. */
export type ChangeQuery = (changes: Readonly<Record<string, string | undefined>>, how?: 'replace' | 'push') => void;

/** The query of the address: it contains a page's settings, so that they can be shared as a link. */
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

/** A document without a server has no addresses: its location stays in memory. */
export const ownPlace = runFile && memoryLocation({ path: runHref(runFile.runId), record: true });

/** The current query of the address. */
const searchNow = (): string => (ownPlace ? (ownPlace.history.at(-1)?.split('?')[1] ?? '') : location.search);
