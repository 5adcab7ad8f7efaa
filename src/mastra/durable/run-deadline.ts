import { InterlockError } from '../../errors.js';

/** The end of a run's time. */
export interface RunDeadline {
  /** Aborted once the time is over. */
  readonly signal: AbortSignal;
  /** Keeps no timer any longer. */
  clear(): void;
}

/** A timer takes no more. */
const longestMs = 2 ** 31 - 1;

/** @param at epoch milliseconds; absent where the run may take as long as it takes */
export const runDeadline = (runId: string, at: number | undefined): RunDeadline => {
  const controller = new AbortController();
  if (at === undefined) return { signal: controller.signal, clear: () => undefined };
  const end = (): void => controller.abort(new InterlockError('run/deadline', { path: runId }));
  const leftMs = at - Date.now();
  if (leftMs <= 0) end();
  const timer = leftMs > 0 && leftMs <= longestMs ? setTimeout(end, leftMs) : undefined;
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
};
