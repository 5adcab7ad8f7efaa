import { definedFields } from '../phase/plain-data.js';
import { spreadOf } from '../trace/percentile.js';
import type { VerdictKind } from '../verdict.js';
import { InterlockError } from '../errors.js';

/** A judged sample with its score. */
interface ScoredSample {
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
  for (const [threshold, own] of [...Map.groupBy(samples, ({ score }) => score)].toSorted(([a], [b]) => b - a)) {
    hits += own.filter(({ label }) => label).length;
    misses += own.filter(({ label }) => !label).length;
    points.push({ threshold, recall: hits / positives, falsePositiveRate: misses / negatives });
  }
  return points;
};

/** The area under the curve: the chance that a positive sample has a higher score than a negative one. Ties count half. */
export const areaUnder = (points: readonly RocPoint[]): number =>
  points.reduce((area, { recall, falsePositiveRate }, at) => {
    const before = points[at - 1];
    return before ? area + ((falsePositiveRate - before.falsePositiveRate) * (recall + before.recall)) / 2 : area;
  }, 0);

/** The highest recall at a false positive rate of at most `mostFalsePositives`. */
export const recallAt = (points: readonly RocPoint[], mostFalsePositives: number): number =>
  Math.max(...points.filter(({ falsePositiveRate }) => falsePositiveRate <= mostFalsePositives).map(({ recall }) => recall));

/** A sample with its judgement, by one guard or by all. */
export interface JudgedSample {
  readonly label: boolean;
  readonly verdict: VerdictKind;
  readonly score: number | undefined;
  readonly durationMs: number;
  readonly calls: number;
}

/** The definition of an objection. */
export interface Objecting {
  /** Whether edits are objections, as for guards that redact. Default `false`: only trips and retries. */
  readonly countEdits?: boolean;
  /** Counts every score of at least this value as an objection, in place of the guards' verdicts. Default: the verdicts. */
  readonly threshold?: number;
}

/** Measures of guards. A measure that cannot be computed is undefined. */
export interface Measures {
  readonly truePositives: number;
  readonly falsePositives: number;
  readonly trueNegatives: number;
  readonly falseNegatives: number;
  /** Samples without a verdict, not included in the counts above. */
  readonly unavailable: number;
  /** Samples that were only edited. */
  readonly edited: number;
  /** The share of objections that are right. */
  readonly precision?: number;
  /** The share of positive samples with an objection. */
  readonly recall?: number;
  readonly f1?: number;
  readonly falsePositiveRate?: number;
  /** The area under the curve. Only if all samples have a score. */
  readonly auc?: number;
  /** The highest recall at a false positive rate of at most 1 %, over all thresholds. */
  readonly recallAt1PercentFpr?: number;
  readonly p50Ms?: number;
  readonly p95Ms?: number;
  /** The number of guard calls. */
  readonly calls: number;
  /** Samples that were judged and have a score. */
  readonly scored: number;
  readonly curve?: readonly RocPoint[];
}

/** The result of one sample. */
export interface EvaluatedSample {
  readonly id: string;
  /** The position of the sample in its data set. */
  readonly location: string;
  readonly label: boolean;
  readonly verdict: VerdictKind;
  /** Undefined without a verdict. */
  readonly objected?: boolean;
  readonly score?: number;
  /** The reason for a missing verdict. */
  readonly why?: string;
}

/** The quality of guards on a data set. */
export interface Evaluation {
  readonly samples: readonly EvaluatedSample[];
  /** All guards together. */
  readonly together: Measures;
  /** The measures of each guard on the samples that it judged, by its id. */
  readonly guards: Readonly<Record<string, Measures>>;
  readonly objecting: Objecting;
}

/** Whether a sample has an objection; undefined without a verdict. */
export const isObjectedTo = (
  { verdict, score }: JudgedSample,
  { countEdits = false, threshold }: Objecting,
): boolean | undefined => {
  if (verdict === 'unavailable') return undefined;
  if (threshold !== undefined) return score !== undefined && score >= threshold;
  return verdict === 'trip' || verdict === 'retry' || (countEdits && verdict === 'edit');
};

/** Computes the measures of judged samples. */
export const measure = (samples: readonly JudgedSample[], objecting: Objecting = {}): Measures => {
  const count = (label: boolean, objected: boolean): number =>
    samples.filter((one) => one.label === label && isObjectedTo(one, objecting) === objected).length;
  const [truePositives, falsePositives] = [count(true, true), count(false, true)];
  const [trueNegatives, falseNegatives] = [count(false, false), count(true, false)];
  const times = spreadOf(samples.map(({ durationMs }) => durationMs));
  const rates = {
    precision: share(truePositives, truePositives + falsePositives),
    recall: share(truePositives, truePositives + falseNegatives),
    f1: share(2 * truePositives, 2 * truePositives + falsePositives + falseNegatives),
    falsePositiveRate: share(falsePositives, falsePositives + trueNegatives),
    p50Ms: times.p50,
    p95Ms: times.p95,
  };
  return {
    truePositives,
    falsePositives,
    trueNegatives,
    falseNegatives,
    unavailable: samples.filter(({ verdict }) => verdict === 'unavailable').length,
    edited: samples.filter(({ verdict }) => verdict === 'edit').length,
    calls: samples.reduce((sum, { calls }) => sum + calls, 0),
    ...definedFields(rates),
    ...scores(samples),
  };
};

const share = (part: number, whole: number): number | undefined => (whole === 0 ? undefined : part / whole);

/** A curve of only some samples would look too good: guards give scores when they object. */
const scores = (samples: readonly JudgedSample[]): Pick<Measures, 'scored' | 'curve' | 'auc' | 'recallAt1PercentFpr'> => {
  const judged = samples.filter(({ verdict }) => verdict !== 'unavailable');
  const scored = judged.filter((one): one is JudgedSample & ScoredSample => one.score !== undefined);
  const curve = scored.length === judged.length ? rocOf(scored) : undefined;
  return { scored: scored.length, ...(curve && { curve, auc: areaUnder(curve), recallAt1PercentFpr: recallAt(curve, 0.01) }) };
};

/** A share or a score, rounded to three decimals. */
export const ratio = (value: number | undefined): string => value?.toFixed(3) ?? 'n/a';

/** A time in milliseconds, rounded for display. */
export const milliseconds = (ms: number | undefined): string =>
  ms === undefined ? 'n/a' : `${ms < 10 ? ms.toFixed(2) : ms.toFixed(0)} ms`;

/** The displayed measures, in this order. */
export const measureRows: readonly { readonly name: string; show(measures: Measures): string }[] = [
  { name: 'precision', show: ({ precision }) => ratio(precision) },
  { name: 'recall', show: ({ recall }) => ratio(recall) },
  { name: 'F1', show: ({ f1 }) => ratio(f1) },
  { name: 'false positive rate', show: ({ falsePositiveRate }) => ratio(falsePositiveRate) },
  { name: 'AUC', show: ({ auc }) => ratio(auc) },
  { name: 'recall at 1 % FPR', show: ({ recallAt1PercentFpr }) => ratio(recallAt1PercentFpr) },
  { name: 'true positives', show: ({ truePositives }) => String(truePositives) },
  { name: 'false negatives', show: ({ falseNegatives }) => String(falseNegatives) },
  { name: 'false positives', show: ({ falsePositives }) => String(falsePositives) },
  { name: 'true negatives', show: ({ trueNegatives }) => String(trueNegatives) },
  { name: 'unavailable', show: ({ unavailable }) => String(unavailable) },
  { name: 'p50', show: ({ p50Ms }) => milliseconds(p50Ms) },
  { name: 'p95', show: ({ p95Ms }) => milliseconds(p95Ms) },
  { name: 'calls', show: ({ calls }) => String(calls) },
];

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
interface BrokenBound extends Bound {
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
