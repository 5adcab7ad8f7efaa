import type { StudioEntry } from '../../protocol/trace-entry.js';
import { createRunFold, type RunFold } from '../fold/fold-run.js';
import { createLineList, noLines, type LineList, type RunLines } from './line-list.js';
import { listenTo } from './listen.js';
import { ApiError, get, query } from './request.js';

/** Reads a run while somebody looks. */
export interface RunReader {
  /** Looks at the run at a point in time. */
  readonly fold: RunFold;
  subscribe(listener: () => void): () => void;
  current(): RunLines;
  /** Reads on after the end: a run that rested goes on. */
  readOn(): void;
}

/** Reads nothing: there is no run yet. */
export const noRun: RunReader = {
  fold: createRunFold([]),
  subscribe: () => () => undefined,
  current: () => noLines,
  readOn: () => undefined,
};

const pageSize = 5000;
const tryAgainMs = 1500;

const isOver = (entries: readonly StudioEntry[]): boolean => {
  const last = entries.findLast(({ kind }) => kind === 'event' || kind === 'status');
  if (last?.kind === 'status') return last.status !== 'running';
  return last?.kind === 'event' && last.event.type === 'run-finish';
};

/** Adds what is kept of a run, page by page. */
const readPages = async (path: string, list: LineList, signal: AbortSignal): Promise<void> => {
  let page: readonly StudioEntry[];
  do {
    page = await get<StudioEntry[]>(`${path}/entries${query({ from: list.lastSeq() + 1, limit: pageSize })}`, signal);
    page.forEach(list.add);
  } while (page.length === pageSize);
};

/**
 * Makes a reader of a run: what is there comes in pages, what happens from then on as server-sent events. It comes back by itself
 * when the server was away, and asks for what it has not seen.
 */
export const createRunReader = (runId: string): RunReader => {
  const path = `runs/${encodeURIComponent(runId)}`;
  const list = createLineList();
  let stop = (): void => undefined;

  const readLater = (): void => {
    const timer = setTimeout(read, tryAgainMs);
    stop = () => clearTimeout(timer);
  };

  const settle = (thrown: unknown): void => {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    if (error.name === 'AbortError') return;
    const mayComeBack = error instanceof ApiError && error.code === 'studio/unreachable';
    list.tell(mayComeBack ? 'waiting' : 'failed', error);
    if (mayComeBack) readLater();
  };

  const listen = (): void => {
    const after = list.lastSeq();
    stop = listenTo<StudioEntry>(`${path}/live${query({ after: after < 0 ? undefined : after })}`, {
      onOpen: () => list.tell('live'),
      onValue: (entry) => {
        list.add(entry);
        list.tellSoon();
      },
      onEnd: () => list.tell('over'),
      onLost: () => {
        list.tell('waiting');
        readLater();
      },
    });
  };

  function read(): void {
    const controller = new AbortController();
    stop = () => controller.abort();
    readPages(path, list, controller.signal).then(() => {
      list.tell(isOver(list.entries) ? 'over' : 'live');
      return isOver(list.entries) ? undefined : listen();
    }, settle);
  }

  return {
    fold: createRunFold(list.entries),
    subscribe: (listener) => list.subscribe(listener, { onFirst: read, onLast: () => stop() }),
    current: list.current,
    readOn: () => {
      stop();
      listen();
    },
  };
};
