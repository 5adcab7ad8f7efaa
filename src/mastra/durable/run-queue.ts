import PQueue from 'p-queue';
import type { RunQueueOptions } from '../options/own-options.js';

/** The queue of an agent's runs in this process. */
export type RunQueue = ReturnType<typeof createRunQueue>;

export interface Turn {
  readonly runId: string;
  readonly priority: number;
  /** Aborted when the run is to end. */
  readonly ended: AbortSignal;
  /** Lets the run wait outside of this process, see `Durable`. Undefined if it can wait here. */
  waitOutside?(onLeave: (run: OutsideRun) => void): Promise<void>;
}

/** A run that waits outside of this process. */
interface OutsideRun {
  wake(): void;
  /** Milliseconds until the engine wakes it itself. */
  readonly withinMs: number;
  /** Called after that time, if the run has not come back to this process. */
  forget(): void;
}

export const createRunQueue = ({ concurrency = Infinity, rateLimit }: RunQueueOptions = {}) => {
  const queue = new PQueue({
    concurrency,
    ...(rateLimit && { intervalCap: rateLimit.runs, interval: rateLimit.perMs, strict: true }),
  });
  const outside = createOutside(() => queue.size === 0);
  let ahead = 0; // runs that end without a turn
  return {
    get queued() {
      return queue.size + outside.size;
    },
    get running() {
      return queue.pending + ahead;
    },
    /** Runs work in turn: higher priority first, then longest waiting time. A run that is to end does not wait, and takes no turn. */
    run: async <T>(turn: Turn, work: () => Promise<T>): Promise<T> => {
      outside.enter(turn.runId);
      if (queue.size > 0 && turn.waitOutside && !turn.ended.aborted) {
        await turn.waitOutside((run) => outside.leave(turn, run));
        outside.enter(turn.runId); // canceled
      }
      const { promise: worked, resolve: leave } = Promise.withResolvers<void>();
      const isInTurn = await waitIn(queue, turn, worked);
      outside.wakeNext();
      if (!isInTurn) ahead += 1;
      try {
        return await work();
      } finally {
        if (!isInTurn) ahead -= 1;
        leave();
        outside.wakeNext();
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

/** Milliseconds after which another run is woken, because the one before has entered another process. */
const nextWakeMs = 1_000;

/** The runs of a queue that wait outside of this process. Without a run that waits here, one of them is woken. */
const createOutside = (isWanted: () => boolean) => {
  const waiting = new Map<string, { readonly priority: number; readonly wake: () => void; readonly timer: NodeJS.Timeout }>();
  let waking: NodeJS.Timeout | undefined;
  const enter = (runId: string): void => {
    clearTimeout(waiting.get(runId)?.timer);
    waiting.delete(runId);
  };
  const wakeNext = (): void => {
    clearTimeout(waking);
    waking = undefined;
    const [next] = isWanted() ? [...waiting].toSorted(([, one], [, other]) => other.priority - one.priority) : [];
    if (!next) return;
    const [runId, { wake }] = next;
    enter(runId);
    wake();
    waking = setTimeout(wakeNext, nextWakeMs).unref();
  };
  return {
    get size() {
      return waiting.size;
    },
    enter,
    leave: ({ runId, priority }: Turn, { wake, withinMs, forget }: OutsideRun): void => {
      const end = (): void => {
        waiting.delete(runId);
        forget();
      };
      enter(runId);
      waiting.set(runId, { priority, wake, timer: setTimeout(end, withinMs).unref() });
      if (!waking) wakeNext(); // the queue may have become empty meanwhile
    },
    wakeNext,
  };
};
