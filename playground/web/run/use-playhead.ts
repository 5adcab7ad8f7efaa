import { useCallback, useEffect, useRef, useState } from 'react';
import { useQuery } from '../shell/use-query.js';

/** The point in time that a page shows. */
export interface Playhead {
  /** The number of the line; `undefined` is the end, also while it moves on. */
  readonly at: number | undefined;
  readonly moveTo: (at: number | undefined) => void;
}

/** Browsers refuse addresses that change too often. */
const settleMs = 200;

const readAt = (query: URLSearchParams): number | undefined => {
  const at = Number(query.get('at') ?? Number.NaN);
  return Number.isInteger(at) && at >= 0 ? at : undefined;
};

/** A point in time that the address keeps, once it rests. */
export const usePlayhead = (): Playhead => {
  const [query, setQuery] = useQuery();
  const inAddress = readAt(query);
  const [at, setAt] = useState(inAddress);
  const written = useRef(inAddress);
  useEffect(() => {
    if (inAddress === written.current) return; // our own writing
    written.current = inAddress;
    setAt(inAddress);
  }, [inAddress]);
  useEffect(() => {
    if (at === written.current) return undefined;
    const timer = setTimeout(() => {
      written.current = at;
      setQuery({ at: at?.toString() });
    }, settleMs);
    return () => clearTimeout(timer);
  }, [at, setQuery]);
  return { at, moveTo: useCallback((next: number | undefined) => setAt(next), []) };
};
