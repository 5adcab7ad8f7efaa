import { useMemo, useSyncExternalStore } from 'react';
import { createRunFold, type RunFold } from '../fold/fold-run.js';
import { createRunReader, type RunLines } from './run-lines.js';

/** A run as it is read. */
export interface ReadRun extends RunLines {
  /** Looks at the run at a point in time. */
  readonly fold: RunFold;
  readonly readOn: () => void;
}

/** Reads a run while the page shows it. */
export const useRun = (runId: string): ReadRun => {
  const reader = useMemo(() => createRunReader(runId), [runId]);
  const lines = useSyncExternalStore(reader.subscribe, reader.current);
  const fold = useMemo(() => createRunFold(lines.entries), [lines.entries]);
  return { ...lines, fold, readOn: reader.readOn };
};
