import type { Measures } from './measure.js';

/** A share or a score, rounded to three decimals. */
export const ratio = (value: number | undefined): string => value?.toFixed(3) ?? 'n/a';

/** A time in milliseconds, rounded for display. */
export const milliseconds = (ms: number | undefined): string =>
  ms === undefined ? 'n/a' : `${ms < 10 ? ms.toFixed(2) : ms.toFixed(0)} ms`;

/** A displayed measure. */
interface MeasureRow {
  readonly name: string;
  show(measures: Measures): string;
}

/** The displayed measures, in this order. */
export const measureRows: readonly MeasureRow[] = [
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
