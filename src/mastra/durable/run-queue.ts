import PQueue from 'p-queue';
import type { RunQueueOptions } from '../options/own-options.js';

/** The queue of an agent's runs in this process. */
export interface RunQueue {
  readonly queued: number;
  readonly running: number;
  /** Runs work in turn: higher priority first, then longest waiting time. A run that is to end does not wait, and takes no turn. */
  run<T>(turn: Turn, work: () => Promise<T>): Promise<T>;
}

interface Turn {
  readonly priority: number;
  /** Aborted when the run is to end. */
  readonly ended: AbortSignal;
}

export const createRunQueue = ({ concurrency = Infinity, rateLimit }: RunQueueOptions = {}): RunQueue => {
  const queue = new PQueue({
    concurrency,
    ...(rateLimit && { intervalCap: rateLimit.runs, interval: rateLimit.perMs, strict: true }),
  });
  let ahead = 0; // runs that end without a turn
  return {
    get queued() {
      return queue.size;
    },
    get running() {
      return queue.pending + ahead;
    },
    run: async ({ priority, ended }, work) => {
      const { promise: worked, resolve: leave } = Promise.withResolvers<void>();
      const isInTurn = await waitIn(queue, { priority, ended }, worked);
      if (!isInTurn) ahead += 1;
      try {
        return await work();
      } finally {
        if (!isInTurn) ahead -= 1;
        leave();
      }
    },
  };
};

/** Resolves to true in the run's turn, or to false if the run is to end. The turn lasts until `worked`. */
const waitIn = (queue: PQueue, { priority, ended }: Turn, worked: Promise<void>): Promise<boolean> =>
  new Promise((resolve) => {
    const leaving = new AbortController();
    const end = (): void => {
      leaving.abort();
      resolve(false);
    };
    if (ended.aborted) return end();
    ended.addEventListener('abort', end, { once: true });
    const start = (): Promise<void> => {
      ended.removeEventListener('abort', end);
      resolve(true);
      return worked;
    };
    queue.add(start, { priority, signal: leaving.signal }).catch(() => undefined); // it has left the queue
  });
