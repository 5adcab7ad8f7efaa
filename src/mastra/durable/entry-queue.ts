import type { BoardEntry } from '../../durable/journal.js';

/** What became of an entry: its place on the board, or that it has none. Where it was dropped, nothing of it is to be seen. */
export type Written = number | 'unwritten' | 'dropped';

/** Entries on their way to a board. */
export interface EntryQueue {
  /** What is pushed in one turn of the event loop goes together. Never rejects. */
  push(entry: BoardEntry): Promise<Written>;
  /** Settles when everything was tried to be written; what could not be waits for the next try. Never rejects. */
  flush(): Promise<void>;
  /** Tries once more; says the same of everything that is then unwritten, and of what is pushed later. */
  end(rest: Exclude<Written, number>): Promise<void>;
}

interface Waiting {
  readonly entry: BoardEntry;
  settle(written: Written): void;
}

/** After a failure what waits is tried again, though nothing more is pushed. */
const tryAgainMs = 250;

/** @param write adds entries to a board, all of them or none; returns the place of the first */
export const createQueue = (write: (entries: readonly BoardEntry[]) => Promise<number>): EntryQueue => {
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
      if (!ended) scheduled ??= setTimeout(goOn, tryAgainMs).unref();
    }
  };
  const flush = (): Promise<void> => (last = last.then(writeAll));
  const goOn = (): void => {
    scheduled = undefined;
    void flush();
  };
  return {
    push: (entry) => {
      if (ended) return Promise.resolve(ended);
      scheduled ??= setImmediate(goOn);
      return new Promise((settle) => waiting.push({ entry, settle }));
    },
    flush,
    end: async (rest) => {
      ended ??= rest;
      await flush();
      for (const { settle } of waiting) settle(rest);
      waiting = [];
    },
  };
};
