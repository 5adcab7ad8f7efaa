/** Retries of runs that were interrupted although their process lives. */
export interface Returns {
  /** Retries a run, each time after a longer pause. */
  later(workflowId: string): void;
  /** Ends the retries of a run. */
  forget(workflowId: string): void;
}

const firstPauseMs = 1_000;
const longestPauseMs = 300_000;

interface ReturnsOptions {
  release(workflowId: string): Promise<void>;
  /** Whether another execution of the run is under way in this process. Its work must not be repeated meanwhile. */
  isUnderWay(workflowId: string): boolean;
  readonly closing: AbortSignal;
}

export const createReturns = ({ release, isUnderWay, closing }: ReturnsOptions): Returns => {
  const pauses = new Map<string, number>();
  const wait = (workflowId: string, pauseMs: number): void => {
    const timer = setTimeout(() => {
      if (closing.aborted) return;
      if (isUnderWay(workflowId)) wait(workflowId, firstPauseMs);
      else release(workflowId).catch(() => wait(workflowId, longestPauseMs));
    }, pauseMs);
    timer.unref();
  };
  return {
    later: (workflowId) => {
      const pauseMs = pauses.get(workflowId) ?? firstPauseMs;
      pauses.set(workflowId, Math.min(pauseMs * 2, longestPauseMs));
      wait(workflowId, pauseMs);
    },
    forget: (workflowId) => void pauses.delete(workflowId),
  };
};
