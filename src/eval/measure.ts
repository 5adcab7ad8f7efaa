import { spreadOf } from '../trace/percentile.js';
import type { VerdictKind } from '../verdict.js';
import { areaUnder, recallAt, rocOf, type RocPoint, type ScoredSample } from './roc.js';

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
    ...known(rates),
    ...scores(samples),
  };
};

const share = (part: number, whole: number): number | undefined => (whole === 0 ? undefined : part / whole);

const known = <T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: NonNullable<T[K]> };

/** A curve of only some samples would look too good: guards give scores when they object. */
const scores = (samples: readonly JudgedSample[]): Pick<Measures, 'scored' | 'curve' | 'auc' | 'recallAt1PercentFpr'> => {
  const judged = samples.filter(({ verdict }) => verdict !== 'unavailable');
  const scored = judged.filter((one): one is JudgedSample & ScoredSample => one.score !== undefined);
  const curve = scored.length === judged.length ? rocOf(scored) : undefined;
  return { scored: scored.length, ...(curve && { curve, auc: areaUnder(curve), recallAt1PercentFpr: recallAt(curve, 0.01) }) };
};
