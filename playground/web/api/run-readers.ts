import { useSyncExternalStore } from 'react';
import { entriesAtOnce, entriesPath } from '../../protocol/run-file.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import { createRunFold, type RunFold } from '../../fold/fold-run.js';
import { live } from './live.js';
import type { News } from './live-source.js';
import { ApiError, get } from './request.js';
import { asError } from './use-loaded.js';

/** The loaded lines of a run. */
export interface RunLines {
  /** One growing list; `count` changes with it. */
  readonly entries: readonly StudioEntry[];
  readonly count: number;
  /** `waiting`: the server is unreachable, and is retried. */
  readonly state: 'loading' | 'live' | 'waiting' | 'over' | 'failed';
  readonly error: Error | undefined;
}

/** Reads a run as long as it has listeners. */
interface RunReader {
  /** The state of the run at a point in time. */
  readonly fold: RunFold;
  subscribe(listener: () => void): () => void;
  current(): RunLines;
}

const noLines: RunLines = { entries: [], count: 0, state: 'over', error: undefined };

/** Reads nothing: there is no run yet. */
const noRun: RunReader = { fold: createRunFold([]), subscribe: () => () => undefined, current: () => noLines };

const tryAgainMs = 1500;

const isOver = (entries: readonly StudioEntry[]): boolean => {
  const last = entries.findLast(({ kind }) => kind === 'event' || kind === 'status');
  if (last?.kind === 'status') return last.status !== 'running';
  return last?.kind === 'event' && last.event.type === 'run-finish';
};

/** The number of the line after the last one. */
const nextSeq = (entries: readonly StudioEntry[]): number => (entries.at(-1)?.seq ?? -1) + 1;

/** Adds the stored lines of a run, page by page. */
const readPages = async (runId: string, entries: StudioEntry[], signal: AbortSignal): Promise<void> => {
  let page: readonly StudioEntry[];
  do {
    const from = nextSeq(entries);
    page = await get<StudioEntry[]>(entriesPath(runId, from), signal);
    entries.push(...page.filter(({ seq }) => seq >= from));
  } while (page.length === entriesAtOnce);
};

/**
 * Makes a reader of a run: it reads the lines in pages, and again whenever the run has more of them. It reconnects by itself after
 * the server was away.
 */
const createRunReader = (runId: string): RunReader => {
  const entries: StudioEntry[] = [];
  const listeners = new Set<() => void>();
  let lines: RunLines = { ...noLines, entries, state: 'loading' };
  let underWay: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop = (): void => undefined;
  let known = 0;

  const notify = (state: RunLines['state'], error?: Error): void => {
    lines = { entries, count: entries.length, state, error };
    for (const listener of listeners) listener();
  };
  const read = async (): Promise<void> => {
    if (underWay) return;
    clearTimeout(timer);
    const { signal } = (underWay = new AbortController());
    try {
      do await readPages(runId, entries, signal);
      while (nextSeq(entries) < known);
      notify(isOver(entries) ? 'over' : 'live');
    } catch (thrown) {
      const error = asError(thrown);
      const mayComeBack = error instanceof ApiError && error.code === 'studio/unreachable';
      if (error.name !== 'AbortError') notify(mayComeBack ? 'waiting' : 'failed', error);
      if (mayComeBack) timer = setTimeout(() => void read(), tryAgainMs);
    } finally {
      if (underWay?.signal === signal) underWay = undefined;
    }
  };
  const onNews = (news: News): void => {
    if (news.kind === 'run') {
      if (news.run.runId !== runId || news.run.entries <= nextSeq(entries)) return;
      known = news.run.entries;
      void read();
    } else if (/^(over|failed)$/.test(lines.state)) return;
    else if (news.kind === 'open') void read();
    else notify('waiting');
  };
  const subscribe = (listener: () => void): (() => void) => {
    if (listeners.size === 0) stop = live.listen(onNews);
    if (listeners.size === 0) void read();
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      stop();
      clearTimeout(timer);
      underWay?.abort();
      underWay = undefined;
    };
  };
  return { fold: createRunFold(entries), subscribe, current: () => lines };
};

/** The number of runs whose lines stay in memory, so that the way from a chat to its run and back loads nothing twice. */
const maxCachedRuns = 20;

const createReaders = (): ((runId: string) => RunReader) => {
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

/** All readers of the same run share one. */
export const readerOf = createReaders();

/** A run with its reader's state. */
export type ReadRun = RunLines & Pick<RunReader, 'fold'>;

/** Reads a run while the page shows it; without a run there are no lines. */
export const useRun = (runId: string | undefined): ReadRun => {
  const reader = runId === undefined ? noRun : readerOf(runId);
  return { ...useSyncExternalStore(reader.subscribe, reader.current), fold: reader.fold };
};
