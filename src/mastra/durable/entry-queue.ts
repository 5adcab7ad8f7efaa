/** Entries on their way to a board. */
export interface EntryQueue {
  /** What is pushed in one turn of the event loop goes together. */
  push(entry: string): void;
  /** Settles when everything was tried to be written; what could not be waits for the next try. Never rejects. */
  flush(): Promise<void>;
}

export const createQueue = (write: (entries: readonly string[]) => Promise<void>): EntryQueue => {
  let waiting: string[] = [];
  let isScheduled = false;
  let last: Promise<void> = Promise.resolve();
  const writeAll = async (): Promise<void> => {
    const entries = waiting;
    if (entries.length === 0) return;
    waiting = [];
    await write(entries).catch(() => void (waiting = [...entries, ...waiting]));
  };
  const flush = (): Promise<void> => (last = last.then(writeAll));
  return {
    push: (entry) => {
      waiting.push(entry);
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(() => {
        isScheduled = false;
        void flush();
      });
    },
    flush,
  };
};
