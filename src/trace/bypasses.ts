import type { RunEvent } from '../../schemas/index.js';
import type { Author } from '../verdict.js';

/** The number of payloads that a guard let pass without a verdict, and the reason. */
export interface GuardBypass extends Author {
  /** `sampled-out`, or the code of the error for which there was no verdict, e.g. `guard/deadline`. */
  readonly reason: string;
  readonly count: number;
}

/** Counts the payloads of a run that passed without a verdict, in order of first occurrence. */
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
