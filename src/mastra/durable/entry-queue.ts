import type { BoardEntry } from '../../durable/journal.js';

/** The outcome of an entry: its place on the board, or none. A `dropped` entry must not become visible. */
export type Written = number | 'unwritten' | 'dropped';

interface Waiting {
  readonly entry: BoardEntry;
  settle(written: Written): void;
}

/** Delay before the retry of a failed write. */
const tryAgainMs = 250;

/**
 * A queue of entries for a board.
 *
 * @param write adds entries to a board, all of them or none; returns the place of the first
 */
export const createQueue = (write: (entries: readonly BoardEntry[]) => Promise<number>) => {
  let waiting: Waiting[] = [];
  let scheduled: NodeJS.Immediate | NodeJS.Timeout | undefined;
  let ended: Exclude<Written, number> | undefined;
  let last: Promise<void> = Promise.resolve();
  const writeAll = async (): Promise<void> => {
    const those = waiting;
    if (those.length === 0) return;
    waiting = [];
    try {
      const place = await write(those.map(({ entry }) => entry));
      for (const [index, one] of those.entries()) one.settle(place + index);
    } catch {
      waiting = [...those, ...waiting];
      if (!ended) scheduled ??= setTimeout(writeNext, tryAgainMs).unref();
    }
  };
  const flush = (): Promise<void> => (last = last.then(writeAll));
  const writeNext = (): void => {
    scheduled = undefined;
    void flush();
  };
  return {
    /** Entries of one turn of the event loop are written together. Never rejects. */
    push: (entry: BoardEntry): Promise<Written> => {
      if (ended) return Promise.resolve(ended);
      scheduled ??= setImmediate(writeNext);
      return new Promise((settle) => waiting.push({ entry, settle }));
    },
    /** Settles after an attempt to write all entries. Failed ones wait for the next attempt. Never rejects. */
    flush,
    /** Makes a last attempt, then settles all unwritten and later entries with `rest`. */
    end: async (rest: Exclude<Written, number>): Promise<void> => {
      ended ??= rest;
      await flush();
      for (const { settle } of waiting) settle(rest);
      waiting = [];
    },
  };
};
