import type { Host } from '../phase/host.js';
import { tripWireOf } from './read-thrown.js';

/** A call of a step's code. */
export interface StepCall {
  /** The error that `abort` threw, which is the code's verdict. */
  aborted: Error | undefined;
  /** Whether the code has settled: a later `abort` is ignored and reported, however long the run continues. */
  isSettled: boolean;
}

export const openCall = (): StepCall => ({ aborted: undefined, isSettled: false });

/** The result of a call. If its code called `abort`, that counts, even if it caught the error. */
export const settled = (call: StepCall, answer: unknown): unknown => {
  call.isSettled = true;
  if (call.aborted) throw call.aborted;
  return answer;
};

/** The error of a call: a tripwire, otherwise the one from `abort`, otherwise what it threw. */
export const thrownBy = (call: StepCall, error: unknown, host: Host): unknown => {
  call.isSettled = true;
  return tripWireOf(error, host) ? error : (call.aborted ?? error);
};
