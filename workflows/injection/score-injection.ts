import { hiddenSignals } from './hidden-text.js';
import type { InjectionSignal } from './injection-signal.js';
import { normalizeText } from './normalize-text.js';

/** What speaks for an injection. */
export interface InjectionScore {
  /** How sure, 0 to 1: signals add up as independent evidence, `1 - (1 - w1) × (1 - w2) × …`. */
  score: number;
  /** The names of the signals, heaviest first. */
  signals: string[];
}

/** Judges one text: what it says, what it says between the lines, and what it hides or encodes. */
export const scoreInjection = (raw: string, signals: readonly InjectionSignal[]): InjectionScore => {
  const normalized = normalizeText(raw);
  const weights = weightsOf(normalized.text, signals);
  for (const [name, weight] of hiddenSignals(normalized, (text) => combined(weightsOf(normalizeText(text).text, signals))))
    raise(weights, name, weight);
  const names = [...weights].toSorted(([, a], [, b]) => b - a).map(([name]) => name);
  return { score: combined(weights), signals: names };
};

const weightsOf = (text: string, signals: readonly InjectionSignal[]): Map<string, number> => {
  const weights = new Map<string, number>();
  for (const { name, weight, pattern } of signals) {
    if (weight > (weights.get(name) ?? 0) && text.search(pattern) >= 0) raise(weights, name, weight);
  }
  return weights;
};

const raise = (weights: Map<string, number>, name: string, weight: number): void => {
  weights.set(name, Math.max(weight, weights.get(name) ?? 0));
};

const combined = (weights: ReadonlyMap<string, number>): number => {
  let doubt = 1;
  for (const weight of weights.values()) doubt *= 1 - weight;
  return Math.round((1 - doubt) * 1000) / 1000;
};
