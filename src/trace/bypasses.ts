import type { RunEvent } from '../../schemas/index.js';
import type { Author } from '../verdict.js';

/** How often a guard was in the path of a payload without judging it, and why. */
export interface GuardBypass extends Author {
  /** `sampled-out`, or the code of the error for which there was no verdict, e.g. `guard/deadline`. */
  readonly reason: string;
  readonly count: number;
}

/** Sums up what passed without a verdict in a run, in the order in which it first happened. */
export const bypassesOf = (events: readonly RunEvent[]): GuardBypass[] => {
  const sums = new Map<string, GuardBypass>();
  for (const event of events) {
    if (event.type !== 'guard-bypass') continue;
    const { processorId, phase, path, reason, calls } = event;
    const key = JSON.stringify([phase, path, reason]);
    sums.set(key, { processorId, phase, path, reason, count: (sums.get(key)?.count ?? 0) + calls });
  }
  return [...sums.values()];
};
