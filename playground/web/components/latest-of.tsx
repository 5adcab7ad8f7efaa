import { useState, type ReactNode } from 'react';
import { Button } from './button.js';

/** A page with more than these at once would be too long. */
const maxListed = 10;

interface LatestOf<T> {
  readonly latest: readonly T[];
  /** A button for the others; null if all are shown. */
  readonly more: ReactNode;
}

/** The latest items of a list; all of them on request. */
export const useLatestOf = <T,>(list: readonly T[], noun: string): LatestOf<T> => {
  const [isAll, setIsAll] = useState(false);
  const isLong = list.length > maxListed;
  return {
    latest: isLong && !isAll ? list.slice(-maxListed) : list,
    more: isLong && (
      <Button look="quiet" onClick={() => setIsAll(!isAll)}>
        {isAll ? `Show the latest ${maxListed} ${noun}` : `Show all ${list.length} ${noun}`}
      </Button>
    ),
  };
};
