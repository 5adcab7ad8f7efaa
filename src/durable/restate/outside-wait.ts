import { setTimeout } from 'node:timers/promises';
import { RestatePromise, type WorkflowContext } from '@restatedev/restate-sdk';
import type { OutsideWait } from '../journal.js';

/** The access of an attempt at a run to Restate. */
export interface Attempt {
  readonly context: WorkflowContext;
  /** The request to cancel the run. */
  readonly cancelRequest: RestatePromise<unknown>;
  /** Ends the input of the attempt: Restate suspends the run at its next wait. */
  endInput(): void;
  /** Wakes the run, after a delay if there is one. */
  wake(awakeable: string, delayMs?: number): Promise<void>;
}

/** Milliseconds after which a run is woken if its process does not wake it; they double with each wait. */
const firstDelayMs = 10_000;
const longestDelayMs = 60_000;

/** Milliseconds in which the SDK reports the end of an earlier wait. */
const replayMs = 20;

/**
 * Suspends a run, so that it has no place among Restate's concurrent invocations. An awakeable is no entry of the journal: an attempt
 * that gets its turn at once replays without the earlier waits. Settles if the run is canceled.
 */
export const suspendUntilWoken = async (attempt: Attempt, { until = Infinity, onLeave }: OutsideWait): Promise<void> => {
  const { context, cancelRequest, wake, endInput } = attempt;
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
    const { id, promise } = context.awakeable<boolean>();
    const woken = RestatePromise.race([promise.map(() => true), cancelRequest.map(() => false)]);
    const earlier = await Promise.race([woken, setTimeout(replayMs, undefined)]);
    if (earlier === false) return;
    if (earlier) continue;
    const withinMs = Math.max(Math.min(delayMs, until - Date.now()), 0);
    await wake(id, withinMs);
    onLeave(() => void wake(id).catch(() => undefined), withinMs); // otherwise it is woken later
    endInput();
    if (!(await woken)) return;
  }
};
