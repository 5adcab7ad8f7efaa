import type { GuardCall, GuardSpan } from '../phase/scope.js';
import type { Position } from '../trace/recorder.js';

/** The position where a replay ended because its next request was never recorded. */
export interface ReplayEnd extends Position {
  /** The data that is missing from the trace. */
  readonly reason: string;
}

/** The environment of a replayed run. A stand-in without a recorded response reports that here. */
export interface ReplayStage {
  /** Ends the replay, because the record lacks what would have followed. Returns a promise that never settles. */
  end(reason: string): Promise<never>;
  /**
   * Waits until the signal is aborted. When nothing else can happen, the caller aborts if the record contains a cancel; otherwise the
   * replay ends.
   */
  wait(abortSignal: AbortSignal, reason: string): Promise<void>;
  /** Counts guards that are running. */
  openSpan(call: GuardCall): GuardSpan;
  /** Called for each line that the replayed run writes. */
  onLine(): void;
  readonly ended: ReplayEnd | undefined;
}

interface StageOptions {
  readonly position: () => Position;
  /** Ends the run. */
  readonly abort: (reason: unknown) => void;
  /** Cancels the run if the record contains a cancel at this point; otherwise returns false. */
  readonly cancel: () => boolean;
  /** Lets pending work proceed. */
  readonly pause: () => Promise<unknown>;
}

/** The number of pauses without activity that count as a standstill. */
const mostQuiet = 3;

/** Creates the stage for one replay. */
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
    onLine: () => void (lines += 1),
    get ended() {
      return ended;
    },
  };
};
