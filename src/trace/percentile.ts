/**
 * The least of the values that at least `share` of them do not exceed (nearest rank): a value that was measured, never one between two.
 * Undefined where there are none. `share` is over 0 and at most 1.
 */
const percentile = (values: readonly number[], share: number): number | undefined => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
};

/** Half of all values, and all but a twentieth of them, are at most this. */
export interface Spread {
  readonly p50: number | undefined;
  readonly p95: number | undefined;
}

/** The middle and the slow end of some values. */
export const spreadOf = (values: readonly number[]): Spread => ({ p50: percentile(values, 0.5), p95: percentile(values, 0.95) });
