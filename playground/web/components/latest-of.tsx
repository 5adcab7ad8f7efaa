import { useState, type ReactNode } from 'react';
import { Button } from './button.js';

/** A page with more than these at once would be too long. */
const mostShown = 10;

interface LatestOf<T> {
  readonly shown: readonly T[];
  /** A button for the others; null if all are shown. */
  readonly more: ReactNode;
}

/** The latest items of a list; all of them on request. */
export const useLatestOf = <T,>(list: readonly T[], what: string): LatestOf<T> => {
  const [isAll, setIsAll] = useState(false);
  const isLong = list.length > mostShown;
  return {
    shown: isLong && !isAll ? list.slice(-mostShown) : list,
    more: isLong && (
      <Button look="quiet" onClick={() => setIsAll(!isAll)}>
        {isAll ? `Show the latest ${mostShown} ${what}` : `Show all ${list.length} ${what}`}
      </Button>
    ),
  };
};
