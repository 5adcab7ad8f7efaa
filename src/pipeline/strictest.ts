import type { Author, Retry, Stop, Trip, Unavailable, Verdict } from '../verdict.js';
import { compare } from './overlap.js';

/**
 * The stop that counts among the verdicts of guards that ran side by side: a block before a missing verdict before a retry,
 * whoever was faster or declared first. Of several equals the first by processor id; the reasons of retries become one.
 */
export const strictest = (verdicts: readonly (Verdict<unknown> | undefined)[]): Stop | undefined => {
  const stops = verdicts.filter(
    (verdict): verdict is Stop => verdict !== undefined && verdict.kind !== 'pass' && verdict.kind !== 'edit',
  );
  const sorted = stops.toSorted(byAuthor);
  return (
    sorted.find((stop): stop is Trip => stop.kind === 'trip') ??
    sorted.find((stop): stop is Unavailable => stop.kind === 'unavailable') ??
    together(sorted.filter((stop): stop is Retry => stop.kind === 'retry'))
  );
};

const byAuthor = (a: Author, b: Author): number => compare(a.processorId, b.processorId) || compare(a.path, b.path);

/** Several retries as one, with all their reasons; metadata in the same order. */
const together = (retries: readonly Retry[]): Retry | undefined => {
  const [first] = retries;
  if (!first || retries.length === 1) return first;
  const reason = [...new Set(retries.map((retry) => retry.reason))].join('; ');
  return { ...first, reason, metadata: retries.map((retry) => retry.metadata) };
};
