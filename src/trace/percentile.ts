/**
 * The smallest value that at least `share` of the values do not exceed (nearest rank): always a measured value, never interpolated.
 * Undefined without values. `share` is over 0 and at most 1.
 */
const percentile = (values: readonly number[], share: number): number | undefined => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
};

/** The median and the 95th percentile of some values. */
export const spreadOf = (values: readonly number[]) => ({ p50: percentile(values, 0.5), p95: percentile(values, 0.95) });
