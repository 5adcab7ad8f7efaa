/** Runs a subject once; returns the number of completed units of work, so that a run that did nothing does not count as a fast one. */
export type Work = () => Promise<number>;

/** One row of the bench: work that is repeated in a warm process, or figures from one fresh process. */
export type BenchCase = WarmCase | OnceCase;

interface Named {
  /** Unique; the group and the subject, e.g. `chunk: interlock, 3 guards`. */
  readonly name: string;
  /** Whether `--quick` includes it. */
  readonly quick: boolean;
}

export interface WarmCase extends Named {
  /** Chunks, steps, messages or characters, from small to large. */
  readonly sizes: readonly number[];
  /** The number of units in one run of a size; costs are per unit. */
  readonly units: (size: number) => number;
  /** Loads the subject in the child process and prepares a run of a size. */
  readonly load: () => Promise<(size: number) => Work>;
}

export interface OnceCase extends Named {
  /** Figures by unit, such as `CPU ms` and `MB`. */
  readonly once: () => Promise<Readonly<Record<string, number>>>;
}

/** One measured value. */
export interface Sample {
  readonly name: string;
  /** 0 if the case has no sizes. */
  readonly size: number;
  readonly unit: string;
  readonly value: number;
}

/** All samples of one value: the median, and the ratio of the upper quartile to the lower. */
export interface Figure extends Sample {
  readonly spread: number;
  readonly samples: number;
}

/** The value below which a share of the values lies, interpolated. */
export const quantile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = part * (sorted.length - 1);
  const [low = NaN, high = NaN] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Groups samples by case, size and unit. */
export const toFigures = (samples: readonly Sample[]): Figure[] =>
  [...Map.groupBy(samples, ({ name, size, unit }) => JSON.stringify([name, size, unit])).values()].flatMap((group) => {
    const values = group.map(({ value }) => value);
    const spread = quantile(values, 0.75) / quantile(values, 0.25);
    return group.slice(0, 1).map((first) => ({ ...first, value: median(values), spread, samples: values.length }));
  });
