import { strictest, type Stop } from '../../verdict.js';

/** Why a stream is stopped, and who is still at work. */
export interface Stops {
  /** The stop that counts, once it is known. */
  readonly stopped: Stop | undefined;
  /** Whether any guard has asked for a stop. */
  readonly isStopping: boolean;
  /** How many guards are at work. */
  readonly busy: number;
  stop(verdict: Stop): void;
  begin(): void;
  done(): void;
}

/**
 * Decides which stop counts: a block ends the stream at once; anything milder waits for those at work, who may be stricter.
 * Whoever was faster does not matter, but for blocks.
 */
export const createStops = (onStopped: () => void): Stops => {
  const stops: Stop[] = [];
  let stopped: Stop | undefined;
  let busy = 0;
  const decide = (): void => {
    if (stopped || stops.length === 0) return;
    if (busy > 0 && !stops.some(({ kind }) => kind === 'trip')) return;
    stopped = strictest(stops);
    onStopped();
  };
  return {
    get stopped() {
      return stopped;
    },
    get isStopping() {
      return stops.length > 0;
    },
    get busy() {
      return busy;
    },
    stop: (verdict) => {
      stops.push(verdict);
      decide();
    },
    begin: () => void (busy += 1),
    done: () => {
      busy -= 1;
      decide();
    },
  };
};
