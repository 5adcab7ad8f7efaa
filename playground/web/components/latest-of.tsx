import { useState, type ReactNode } from 'react';
import { Button } from './button.js';

/** More than these at once are too long a page. */
const mostShown = 10;

interface LatestOf<T> {
  readonly shown: readonly T[];
  /** A button for the others; nothing where all are shown. */
  readonly more: ReactNode;
}

/** The latest of a list, until all of it is asked for. */
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
