/** A judged sample with its score. */
export interface ScoredSample {
  readonly label: boolean;
  readonly score: number;
}

/** The rates if every sample with at least a threshold score is objected to. */
export interface RocPoint {
  /** Infinity if there are no objections. */
  readonly threshold: number;
  /** The share of positive samples with an objection. */
  readonly recall: number;
  /** The share of negative samples with an objection. */
  readonly falsePositiveRate: number;
}

/**
 * The curve over all thresholds, from no objections to objections to all samples. Samples with equal scores move together.
 * Undefined unless there are both positive and negative samples.
 */
export const rocOf = (samples: readonly ScoredSample[]): RocPoint[] | undefined => {
  const positives = samples.filter(({ label }) => label).length;
  const negatives = samples.length - positives;
  if (positives === 0 || negatives === 0) return undefined;
  const points: RocPoint[] = [{ threshold: Infinity, recall: 0, falsePositiveRate: 0 }];
  let [hits, misses] = [0, 0];
  for (const [threshold, own] of byScore(samples)) {
    hits += own.filter(({ label }) => label).length;
    misses += own.filter(({ label }) => !label).length;
    points.push({ threshold, recall: hits / positives, falsePositiveRate: misses / negatives });
  }
  return points;
};

const byScore = (samples: readonly ScoredSample[]): [number, ScoredSample[]][] =>
  [...Map.groupBy(samples, ({ score }) => score)].toSorted(([a], [b]) => b - a);

/** The area under the curve: the chance that a positive sample has a higher score than a negative one. Ties count half. */
export const areaUnder = (points: readonly RocPoint[]): number =>
  points.reduce((area, { recall, falsePositiveRate }, at) => {
    const before = points[at - 1];
    return before ? area + ((falsePositiveRate - before.falsePositiveRate) * (recall + before.recall)) / 2 : area;
  }, 0);

/** The highest recall at a false positive rate of at most `mostFalsePositives`. */
export const recallAt = (points: readonly RocPoint[], mostFalsePositives: number): number =>
  Math.max(...points.filter(({ falsePositiveRate }) => falsePositiveRate <= mostFalsePositives).map(({ recall }) => recall));
