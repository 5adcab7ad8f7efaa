import { InterlockError } from '../errors.js';
import type { Measures } from './measure.js';

/** Metrics that are shares, from 0 to 1. */
const shares = ['precision', 'recall', 'f1', 'auc', 'recallAt1PercentFpr', 'falsePositiveRate'] as const;

/** Metrics that can have a bound. */
const metrics = [...shares, 'unavailable', 'calls', 'p50Ms', 'p95Ms'] as const satisfies readonly (keyof Omit<
  Measures,
  'curve'
>)[];

/** A required bound for an evaluation. */
export interface Bound {
  readonly side: 'min' | 'max';
  readonly metric: (typeof metrics)[number];
  readonly value: number;
}

/** A bound that was missed. `actual` is undefined if the metric cannot be computed. */
export interface BrokenBound extends Bound {
  readonly actual: number | undefined;
}

/**
 * Parses a bound, e.g. `recall=0.9`. Raises `eval/unknown-metric` for an unknown metric, and
 * `eval/invalid-bound` for a share that every evaluation, or none, would meet: 1 % is 0.01.
 */
export const parseBound = (side: Bound['side'], text: string): Bound => {
  const [name, number = ''] = text.split('=');
  const metric = metrics.find((one) => one === name);
  const value = Number(number);
  if (!metric || number.trim() === '' || !Number.isFinite(value))
    throw new InterlockError('eval/unknown-metric', {
      path: text,
      detail: `write METRIC=NUMBER, with one of ${metrics.join(', ')}.`,
    });
  if (isShare(metric) && (value < 0 || value > 1 || (side === 'max' && value === 1)))
    throw new InterlockError('eval/invalid-bound', { path: text, detail: `${metric} is a share from 0 to 1.` });
  return { side, metric, value };
};

const isShare = (metric: string): boolean => shares.some((one) => one === metric);

/** The bounds that were missed. A metric that cannot be computed misses its bound. By default every sample must have a verdict. */
export const brokenBounds = (measures: Measures, bounds: readonly Bound[]): BrokenBound[] => {
  const hasUnavailableBound = bounds.some(({ metric, side }) => metric === 'unavailable' && side === 'max');
  const all: readonly Bound[] = hasUnavailableBound ? bounds : [...bounds, { side: 'max', metric: 'unavailable', value: 0 }];
  return all.map((bound) => ({ ...bound, actual: measures[bound.metric] })).filter((bound) => !holds(bound));
};

const holds = ({ side, value, actual }: BrokenBound): boolean =>
  actual !== undefined && (side === 'min' ? actual >= value : actual <= value);
