/** Runs a subject once; returns the number of completed units of work, so that a run that did nothing does not count as a fast one. */
export type Work = () => Promise<number>;

/** One row of the bench. Every kind gives one value for each unit and round. */
export type BenchCase = WarmCase | TakenCase | FreshCase;

interface Named {
  /** Unique; the group and the subject, e.g. `chunk: interlock, 3 guards`. The rows of a group are measured in turns. */
  readonly name: string;
  /** Whether `--quick` includes it. */
  readonly quick: boolean;
}

/** Work that is repeated in the warm process of the bench. */
export interface WarmCase extends Named {
  /** Chunks, steps, messages or characters, from small to large. */
  readonly sizes: readonly number[];
  /** The number of units in one run of a size; costs are per unit. */
  readonly units: (size: number) => number;
  /** Loads the subject and prepares a run of a size. */
  readonly load: () => Promise<(size: number) => Work>;
}

/** Figures by unit, such as `ms` and `parts`, taken in the process of the bench. */
export interface TakenCase extends Named {
  readonly take: () => Promise<Readonly<Record<string, number>>>;
}

/** Figures that only a new process has: the cost of loading a module, and a peak of memory. */
export interface FreshCase extends Named {
  readonly inFreshProcess: () => Promise<Readonly<Record<string, number>>>;
}

/** The values of one figure, one for each round. Series of one group are pairs: their values of a round were measured one after another. */
export interface Series {
  readonly name: string;
  /** 0 if the case has no sizes. */
  readonly size: number;
  readonly unit: string;
  readonly values: readonly number[];
}

/**
 * An estimate of an undisturbed cost: the lower quartile of the values, because other work of a machine only adds time. `spread` compares
 * the estimates from each third of the rounds: the largest divided by the smallest, infinite if one is no positive number.
 */
export interface Figure {
  readonly estimate: number;
  readonly min: number;
  readonly spread: number;
}

/** The value below which a share of the values lies, interpolated. */
export const quantile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = part * (sorted.length - 1);
  const [low = NaN, high = NaN] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The values of each third of the rounds; a disturbance of a few rounds meets all thirds. */
const thirdsOf = (values: readonly number[]): (readonly number[])[] =>
  [0, 1, 2].map((first) => values.filter((_, round) => round % 3 === first)).filter(({ length }) => length > 0);

const estimateOf = (values: readonly number[]): number => quantile(values, 0.25);

const spreadOf = (estimates: readonly number[]): number => {
  const [low, high] = [Math.min(...estimates), Math.max(...estimates)];
  return low === high ? 1 : low > 0 ? high / low : Infinity;
};

export const figureOf = (values: readonly number[]): Figure => ({
  estimate: estimateOf(values),
  min: Math.min(...values),
  spread: spreadOf(thirdsOf(values).map(estimateOf)),
});

/** The ratio of two series that were measured in turns. */
export const ratioOf = ({ values: of }: Series, { values: over }: Series): Figure => {
  const [ofThirds, overThirds] = [thirdsOf(of), thirdsOf(over)];
  const ratios = ofThirds.map((third, index) => estimateOf(third) / estimateOf(overThirds[index] ?? []));
  return { estimate: estimateOf(of) / estimateOf(over), min: Math.min(...ratios), spread: spreadOf(ratios) };
};

/** A figure with a larger spread counts as not measured. */
const maxSpread = 1.5;

export const isMeasured = ({ spread }: Figure): boolean => spread <= maxSpread;
