import { createContext, use, useMemo, useSyncExternalStore, type ReactNode } from 'react';
import type { RunLines } from './line-list.js';
import { createRunReader, noRun, type RunReader } from './run-reader.js';

/** Runs whose lines are kept, so that the way from a chat to its run and back loads nothing twice. */
const keptRuns = 20;

type ReaderOf = (runId: string) => RunReader;

const createReaders = (): ReaderOf => {
  const readers = new Map<string, RunReader>();
  return (runId) => {
    const reader = readers.get(runId) ?? createRunReader(runId);
    readers.delete(runId);
    readers.set(runId, reader);
    const oldest = readers.keys().next();
    if (readers.size > keptRuns && oldest.done === false) readers.delete(oldest.value);
    return reader;
  };
};

const ReadersContext = createContext<ReaderOf>(createRunReader);

/** Lets everything inside that looks at the same run read it once. */
export const RunReadersProvider = ({ children }: { readonly children: ReactNode }) => {
  const readerOf = useMemo(() => createReaders(), []);
  return <ReadersContext value={readerOf}>{children}</ReadersContext>;
};

/** A run as it is read. */
export type ReadRun = RunLines & Pick<RunReader, 'fold'>;

/** Reads a run while the page shows it; no run is a run of no lines. */
export const useRun = (runId: string | undefined): ReadRun => {
  const readerOf = use(ReadersContext);
  const reader = useMemo(() => (runId === undefined ? noRun : readerOf(runId)), [readerOf, runId]);
  const lines = useSyncExternalStore(reader.subscribe, reader.current);
  return { ...lines, fold: reader.fold };
};
