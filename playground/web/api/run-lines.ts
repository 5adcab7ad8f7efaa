import type { StudioEntry } from '../../protocol/trace-entry.js';
import { ApiError, apiUrl, get, query } from './request.js';

/** The lines of a run, as far as they are here. */
export interface RunLines {
  /** One list that grows; `count` tells whether it has. */
  readonly entries: readonly StudioEntry[];
  readonly count: number;
  /** `waiting`: the server cannot be reached, and is tried again. */
  readonly state: 'loading' | 'live' | 'waiting' | 'over' | 'failed';
  readonly error: Error | undefined;
}

/** Reads a run while somebody looks. */
export interface RunReader {
  subscribe(listener: () => void): () => void;
  current(): RunLines;
  /** Reads on after the end: a run that rested goes on. */
  readOn(): void;
}

const pageSize = 5000;
const tryAgainMs = 1500;

const isOver = (entries: readonly StudioEntry[]): boolean => {
  const last = entries.findLast((entry) => entry.kind === 'event');
  return last?.kind === 'event' && last.event.type === 'run-finish';
};

/**
 * Makes a reader of a run: what is there comes in pages, what happens from then on as server-sent events. It comes back by itself
 * when the server was away, and asks for what it has not seen.
 */
export const createRunReader = (runId: string): RunReader => {
  const path = `runs/${encodeURIComponent(runId)}`;
  const entries: StudioEntry[] = [];
  const listeners = new Set<() => void>();
  let lines: RunLines = { entries, count: 0, state: 'loading', error: undefined };
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let frame = 0;
  let asking: AbortController | undefined;

  const tell = (change: Partial<RunLines>): void => {
    lines = { ...lines, count: entries.length, ...change };
    for (const listener of listeners) listener();
  };
  const tellSoon = (): void => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      tell({ state: 'live' });
    });
  };
  const lastSeq = (): number => entries.at(-1)?.seq ?? -1;
  const add = (entry: StudioEntry): void => {
    if (entry.seq > lastSeq()) entries.push(entry);
  };

  const stop = (): void => {
    asking?.abort();
    source?.close();
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    frame = 0;
  };

  const settle = (thrown: unknown): void => {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    if (error.name === 'AbortError') return;
    const mayComeBack = error instanceof ApiError && error.code === 'studio/unreachable';
    tell({ state: mayComeBack ? 'waiting' : 'failed', error });
    if (mayComeBack) timer = setTimeout(read, tryAgainMs);
  };

  const listen = (): void => {
    source = new EventSource(apiUrl(`${path}/live${query({ after: lastSeq() < 0 ? undefined : lastSeq() })}`));
    source.addEventListener('open', () => tell({ state: 'live', error: undefined }));
    source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      add(JSON.parse(data) as StudioEntry); // the protocol says what is there
      tellSoon();
    });
    source.addEventListener('end', () => {
      stop();
      tell({ state: 'over', error: undefined });
    });
    source.addEventListener('error', () => {
      stop();
      tell({ state: 'waiting' });
      timer = setTimeout(read, tryAgainMs);
    });
  };

  const readPages = async (signal: AbortSignal): Promise<void> => {
    let page: readonly StudioEntry[];
    do {
      page = await get<StudioEntry[]>(`${path}/entries${query({ from: lastSeq() + 1, limit: pageSize })}`, signal);
      page.forEach(add);
    } while (page.length === pageSize);
  };

  function read(): void {
    stop();
    const { signal } = (asking = new AbortController());
    readPages(signal).then(() => {
      if (isOver(entries)) return tell({ state: 'over', error: undefined });
      tell({ state: 'live', error: undefined });
      return listen();
    }, settle);
  }

  return {
    subscribe: (listener) => {
      listeners.add(listener);
      if (listeners.size === 1) read();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
    current: () => lines,
    readOn: () => {
      stop();
      listen();
    },
  };
};
