import type { StudioEntry } from '../../protocol/trace-entry.js';

/** The loaded lines of a run. */
export interface RunLines {
  /** One growing list; `count` changes with it. */
  readonly entries: readonly StudioEntry[];
  readonly count: number;
  /** `waiting`: the server is unreachable, and is retried. */
  readonly state: 'loading' | 'live' | 'waiting' | 'over' | 'failed';
  readonly error: Error | undefined;
}

/** A growing list of lines. */
export interface LineList {
  readonly entries: readonly StudioEntry[];
  readonly lastSeq: () => number;
  /** Adds a line at the end; does nothing if it is already there. */
  add(entry: StudioEntry): void;
  /** Sets the state of the reader. */
  notify(state: RunLines['state'], error?: Error): void;
  current(): RunLines;
  /** Calls `onFirst` for the first listener, and `onLast` after the last is removed. */
  subscribe(listener: () => void, watch: { onFirst(): void; onLast(): void }): () => void;
}

export const noLines: RunLines = { entries: [], count: 0, state: 'over', error: undefined };

/** Makes an empty list. */
export const createLineList = (): LineList => {
  const entries: StudioEntry[] = [];
  const listeners = new Set<() => void>();
  let lines: RunLines = { entries, count: 0, state: 'loading', error: undefined };
  const lastSeq = () => entries.at(-1)?.seq ?? -1;
  const notify: LineList['notify'] = (state, error) => {
    lines = { entries, count: entries.length, state, error };
    for (const listener of listeners) listener();
  };
  return {
    entries,
    lastSeq,
    add: (entry) => {
      if (entry.seq > lastSeq()) entries.push(entry);
    },
    notify,
    current: () => lines,
    subscribe: (listener, { onFirst, onLast }) => {
      listeners.add(listener);
      if (listeners.size === 1) onFirst();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) onLast();
      };
    },
  };
};
