/** A judged sample with its score. */
export interface ScoredSample {
  readonly label: boolean;
  readonly score: number;
}

/** What comes of objecting to every sample whose score is at least a threshold. */
export interface RocPoint {
  /** Infinity where nothing is objected to. */
  readonly threshold: number;
  /** The share of the samples to be objected to that are. */
  readonly recall: number;
  /** The share of the others that are. */
  readonly falsePositiveRate: number;
}

/**
 * The curve over all thresholds, from the one that objects to nothing to the one that objects to everything. Samples of one score move together.
 * Undefined where there are no samples of one of the two kinds.
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

/** The area under the curve: the chance that a sample to be objected to has a higher score than one that is not, ties counting half. */
export const areaUnder = (points: readonly RocPoint[]): number =>
  points.reduce((area, { recall, falsePositiveRate }, at) => {
    const before = points[at - 1];
    return before ? area + ((falsePositiveRate - before.falsePositiveRate) * (recall + before.recall)) / 2 : area;
  }, 0);

/** The most that is found while no more than a share of the others is objected to. */
export const recallAt = (points: readonly RocPoint[], mostFalsePositives: number): number =>
  Math.max(...points.filter(({ falsePositiveRate }) => falsePositiveRate <= mostFalsePositives).map(({ recall }) => recall));
