import { createContext, use, useMemo, useSyncExternalStore, type ReactNode } from 'react';
import { type RunLines, createLineList, noLines, type LineList } from './line-list.js';
import { entriesAtOnce, entriesPath } from '../../protocol/run-file.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import { createRunFold, type RunFold } from '../../fold/fold-run.js';
import { live } from './live.js';
import type { News } from './live-source.js';
import { ApiError, get } from './request.js';
import { asError } from './use-action.js';

/** Reads a run as long as it has listeners. */
interface RunReader {
  /** The state of the run at a point in time. */
  readonly fold: RunFold;
  subscribe(listener: () => void): () => void;
  current(): RunLines;
}

/** Reads nothing: there is no run yet. */
const noRun: RunReader = {
  fold: createRunFold([]),
  subscribe: () => () => undefined,
  current: () => noLines,
};

const tryAgainMs = 1500;

const isOver = (entries: readonly StudioEntry[]): boolean => {
  const last = entries.findLast(({ kind }) => kind === 'event' || kind === 'status');
  if (last?.kind === 'status') return last.status !== 'running';
  return last?.kind === 'event' && last.event.type === 'run-finish';
};

/** Adds the stored lines of a run, page by page. */
const readPages = async (runId: string, list: LineList, signal: AbortSignal): Promise<void> => {
  let page: readonly StudioEntry[];
  do {
    page = await get<StudioEntry[]>(entriesPath(runId, list.lastSeq() + 1), signal);
    page.forEach(list.add);
  } while (page.length === entriesAtOnce);
};

/**
 * Makes a reader of a run: it reads the lines in pages, and again whenever the run has more of them. It reconnects by itself after
 * the server was away.
 */
const createRunReader = (runId: string): RunReader => {
  const list = createLineList();
  let underWay: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop = (): void => undefined;
  /** The number of the run's known lines. */
  let known = 0;

  const fail = (thrown: unknown): void => {
    const error = asError(thrown);
    if (error.name === 'AbortError') return;
    const mayComeBack = error instanceof ApiError && error.code === 'studio/unreachable';
    list.notify(mayComeBack ? 'waiting' : 'failed', error);
    if (mayComeBack) timer = setTimeout(() => void read(), tryAgainMs);
  };

  const read = async (): Promise<void> => {
    if (underWay) return;
    clearTimeout(timer);
    const { signal } = (underWay = new AbortController());
    try {
      await readPages(runId, list, signal);
      while (list.lastSeq() + 1 < known) await readPages(runId, list, signal);
      list.notify(isOver(list.entries) ? 'over' : 'live');
    } catch (thrown) {
      fail(thrown);
    } finally {
      if (underWay?.signal === signal) underWay = undefined;
    }
  };

  const onNews = (news: News): void => {
    if (news.kind === 'run') {
      if (news.run.runId !== runId || news.run.entries <= list.lastSeq() + 1) return;
      known = news.run.entries;
      void read();
    } else if (/^(over|failed)$/.test(list.current().state)) return;
    else if (news.kind === 'open') void read();
    else list.notify('waiting');
  };

  const start = (): void => {
    stop = live.listen(onNews);
    void read();
  };
  const end = (): void => {
    stop();
    clearTimeout(timer);
    underWay?.abort();
    underWay = undefined;
  };
  return {
    fold: createRunFold(list.entries),
    subscribe: (listener) => list.subscribe(listener, { onFirst: start, onLast: end }),
    current: list.current,
  };
};

/** The number of runs whose lines stay in memory, so that the way from a chat to its run and back loads nothing twice. */
const maxCachedRuns = 20;

type ReaderOf = (runId: string) => RunReader;

const createReaders = (): ReaderOf => {
  const readers = new Map<string, RunReader>();
  return (runId) => {
    const reader = readers.get(runId) ?? createRunReader(runId);
    readers.delete(runId);
    readers.set(runId, reader);
    const oldest = readers.keys().next();
    if (readers.size > maxCachedRuns && oldest.done === false) readers.delete(oldest.value);
    return reader;
  };
};

export const ReadersContext = createContext<ReaderOf>(createRunReader);

/** Makes all readers of the same run inside share one. */
export const RunReadersProvider = ({ children }: { readonly children: ReactNode }) => {
  const readerOf = useMemo(() => createReaders(), []);
  return <ReadersContext value={readerOf}>{children}</ReadersContext>;
};

/** A run with its reader's state. */
export type ReadRun = RunLines & Pick<RunReader, 'fold'>;

/** Reads a run while the page shows it; without a run there are no lines. */
export const useRun = (runId: string | undefined): ReadRun => {
  const readerOf = use(ReadersContext);
  const reader = useMemo(() => (runId === undefined ? noRun : readerOf(runId)), [readerOf, runId]);
  const lines = useSyncExternalStore(reader.subscribe, reader.current);
  return { ...lines, fold: reader.fold };
};
