import type { GuardCall, GuardSpan } from '../phase/scope.js';
import type { Position } from '../trace/run-fact.js';

/** Where a replay ended because it led to something that was never recorded. */
export interface ReplayEnd extends Position {
  /** What is not in the trace. */
  readonly reason: string;
}

/** What stands around a replayed run: whoever has no answer for it says so here. */
export interface ReplayStage {
  /** The replay ends: nobody can know what would have come. Gives a promise that nothing settles. */
  end(reason: string): Promise<never>;
  /**
   * Waits until the signal is aborted. Where nothing happens any more and somebody still waits, the caller gives up, if he did so in
   * the record; else the replay ends.
   */
  wait(abortSignal: AbortSignal, reason: string): Promise<void>;
  /** Counts guards that are at work. */
  openSpan(call: GuardCall): GuardSpan;
  /** Told of each line that the replayed run writes. */
  heard(): void;
  readonly ended: ReplayEnd | undefined;
}

export interface StageOptions {
  readonly position: () => Position;
  /** Ends the run. */
  readonly abort: (reason: unknown) => void;
  /** The caller gives up where the record says so; false where it does not. */
  readonly cancel: () => boolean;
  /** Gives everything that can happen the time to happen. */
  readonly pause: () => Promise<unknown>;
}

/** So many pauses in which nothing has happened are taken for a standstill. */
const mostQuiet = 3;

/** Sets the stage for one replay. */
export const createReplayStage = ({ position, abort, cancel, pause }: StageOptions): ReplayStage => {
  const atWork = new Set<GuardCall>();
  let ended: ReplayEnd | undefined;
  let lines = 0;
  const end = (reason: string): Promise<never> => {
    if (!ended) {
      ended = { ...position(), reason };
      abort(new Error(`The replay ended: ${reason}`));
    }
    return new Promise(() => undefined);
  };
  const isBusy = (): boolean => [...atWork].some(({ scope }) => !scope.abortSignal?.aborted);
  const standstill = async (abortSignal: AbortSignal): Promise<boolean> => {
    for (let quiet = 0, seen = lines; quiet < mostQuiet; quiet += 1) {
      await pause();
      if (abortSignal.aborted) return false;
      if (lines !== seen || isBusy()) quiet = -1;
      seen = lines;
    }
    return true;
  };
  return {
    end,
    wait: async (abortSignal, reason) => {
      if (abortSignal.aborted) return;
      const aborted = new Promise<void>((resolve) => abortSignal.addEventListener('abort', () => resolve(), { once: true }));
      const isStill = await Promise.race([standstill(abortSignal), aborted]);
      if (isStill && !cancel()) void end(reason);
      await aborted;
    },
    openSpan: (call) => {
      atWork.add(call);
      return { scope: call.scope, end: () => void atWork.delete(call) };
    },
    heard: () => void (lines += 1),
    get ended() {
      return ended;
    },
  };
};
