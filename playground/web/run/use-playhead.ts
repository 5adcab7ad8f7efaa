import { useCallback, useEffect, useRef, useState } from 'react';
import { useQuery } from '../shell/use-query.js';
import type { Place } from '../fold/spine-row.js';

/** The point in time of a page, and the selected place. */
export interface Playhead {
  /** The number of the line; `undefined` is the end, also while it moves on. */
  readonly at: number | undefined;
  /** Selected until the point in time changes. */
  readonly place: Place | undefined;
  /** The sub-run of the selected row; undefined if it is of the run itself. */
  readonly subRun: string | undefined;
  /** The key of the selected row of the tree; without it the place, or the line, decides. */
  readonly row: string | undefined;
  readonly moveTo: (at: number | undefined, place?: Place, row?: SelectedRow) => void;
  readonly select: (place: Place) => void;
}

interface SelectedRow {
  readonly row?: string;
  readonly subRun?: string | undefined;
}

type Moment = Pick<Playhead, 'at' | 'place' | 'subRun' | 'row'>;

/** Browsers reject too frequent changes of the address. */
const settleMs = 200;

const readMoment = (query: URLSearchParams): Moment => {
  const at = Number(query.get('at') ?? Number.NaN);
  const [phase, path] = [query.get('phase'), query.get('guard')];
  return {
    at: Number.isInteger(at) && at >= 0 ? at : undefined,
    place: phase !== null && path !== null ? { phase, path } : undefined,
    subRun: query.get('sub') ?? undefined,
    row: query.get('row') ?? undefined,
  };
};

const toQuery = ({ at, place, subRun, row }: Moment) => ({
  at: at?.toString(),
  phase: place?.phase,
  guard: place?.path,
  sub: subRun,
  row,
});

/** A point in time and a selection, which are written into the address once they stop changing. */
export const usePlayhead = (): Playhead => {
  const [query, setQuery] = useQuery();
  const inAddress = JSON.stringify(toQuery(readMoment(query)));
  const [moment, setMoment] = useState(() => readMoment(query));
  const written = useRef(inAddress);
  useEffect(() => {
    if (inAddress === written.current) return; // written by this hook
    written.current = inAddress;
    setMoment(readMoment(query));
  }, [inAddress, query]);
  useEffect(() => {
    const wanted = toQuery(moment);
    if (JSON.stringify(wanted) === written.current) return undefined;
    const timer = setTimeout(() => {
      written.current = JSON.stringify(wanted);
      setQuery(wanted);
    }, settleMs);
    return () => clearTimeout(timer);
  }, [moment, setQuery]);
  return {
    ...moment,
    moveTo: useCallback(
      (at: number | undefined, place?: Place, { row, subRun }: SelectedRow = {}) => setMoment({ at, place, subRun, row }),
      [],
    ),
    select: useCallback((place: Place) => setMoment((now) => ({ ...now, place, row: undefined })), []),
  };
};
