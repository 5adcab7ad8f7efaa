import { atOnce, stepChars, type Steps } from '../../src/guard/in-steps.js';
import { hiddenSignals } from './hidden-text.js';
import type { InjectionSignal } from './injection-signal.js';
import { beyondAscii, literalsOf } from './literals.js';
import { normalizing } from './normalize-text.js';
import { inputSignals, toolResultSignals } from './signals.js';
import { createWordScanner, type WordScanner } from './word-scanner.js';

/** The evidence for an injection. */
export interface InjectionScore {
  /** The certainty, 0 to 1: signals add up as independent evidence, `1 - (1 - w1) × (1 - w2) × …`. */
  score: number;
  /** The names of the signals, heaviest first. */
  signals: string[];
}

/** Scores one text: its words, its spaced-out or hidden words, and its encoded content. */
export const scoreInjection = (raw: string, signals: readonly InjectionSignal[]): InjectionScore => atOnce(scoring(raw, signals));

/** As {@link scoreInjection}, in steps: one signal after another. */
export function* scoring(raw: string, signals: readonly InjectionSignal[]): Steps<InjectionScore> {
  const normalized = yield* normalizing(raw);
  const weights = yield* weighing(normalized.text, signals);
  const inner = function* (text: string): Steps<number> {
    return combined(yield* weighing((yield* normalizing(text)).text, signals));
  };
  for (const [name, weight] of yield* hiddenSignals(normalized, inner)) raise(weights, name, weight);
  const names = [...weights].toSorted(([, a], [, b]) => b - a).map(([name]) => name);
  return { score: combined(weights), signals: names };
}

/** A signal, and the words that its matches require: one of each list, by number. */
interface SoughtSignal extends InjectionSignal {
  readonly needs: readonly (readonly number[])[];
  /** An application's pattern may match across any distance, so it searches a text as a whole. */
  readonly isOwn: boolean;
}

interface Sought {
  readonly signals: readonly SoughtSignal[];
  readonly scanner: WordScanner;
}

/** The length of the sections in which words are looked for: a signal is only searched near its words. */
const sectionChars = 2048;
/** The maximum number of characters that `reach` reads. */
const maxReach = 2 * stepChars;

const known = new WeakMap<readonly InjectionSignal[], Sought>();
const own = new Set([...inputSignals, ...toolResultSignals]);
/** The maximum reach of this package's signals. */
const reach = /[^]{0,1200}(?:\w*\W*){0,48}/y;
/** The text after a match may decide about it. */
const lookahead = 2;

/** The end of the longest match that starts before a place. */
const reachFrom = (text: string, from: number): number => {
  reach.lastIndex = from;
  reach.exec(text.slice(0, from + maxReach));
  return Math.max(from, reach.lastIndex) + lookahead;
};

/** Whether words are selective, unlike single letters, which occur in nearly every text. */
const isDistinctive = (words: readonly string[]): boolean => words.every((word) => word.length > 2 || word === beyondAscii);

const soughtOf = (signals: readonly InjectionSignal[]): Sought => {
  const before = known.get(signals);
  if (before) return before;
  const numbers = new Map<string, number>();
  const numberOf = (word: string): number => {
    const number = numbers.get(word) ?? numbers.size;
    numbers.set(word, number);
    return number;
  };
  const numbered = signals.map((signal) => ({
    name: signal.name,
    weight: signal.weight,
    pattern: new RegExp(signal.pattern, `${signal.pattern.flags.replaceAll(/[gy]/g, '')}g`),
    isOwn: own.has(signal),
    needs: literalsOf(signal.pattern)
      .filter(isDistinctive)
      .map((words) => words.map(numberOf)),
  }));
  const sought: Sought = { signals: numbered, scanner: createWordScanner([...numbers.keys()]) };
  known.set(signals, sought);
  return sought;
};

/** The number of signals that cost as much as one search of a text for values. */
const signalsPerReading = 8;

function* weighing(text: string, signals: readonly InjectionSignal[]): Steps<Map<string, number>> {
  const weights = new Map<string, number>();
  const { signals: sought, scanner } = soughtOf(signals);
  const { last, readTo } = scanner.start(text);
  for (let from = 0; from < text.length; from += sectionChars) {
    const until = Math.min(text.length, from + sectionChars);
    const end = reachFrom(text, until);
    yield end - until;
    yield* readTo(end);
    const scope = text.slice(0, end);
    for (const { name, weight, pattern, needs, isOwn } of sought) {
      if (weight <= (weights.get(name) ?? 0)) continue;
      if (isOwn ? !needs.every((list) => list.some((word) => (last[word] ?? 0) > from)) : from > 0) continue;
      yield (isOwn ? end - from : text.length) / signalsPerReading;
      pattern.lastIndex = from;
      const match = pattern.exec(isOwn ? scope : text);
      if (match && (!isOwn || match.index < until)) raise(weights, name, weight);
    }
  }
  return weights;
}

const raise = (weights: Map<string, number>, name: string, weight: number): void => {
  weights.set(name, Math.max(weight, weights.get(name) ?? 0));
};

const combined = (weights: ReadonlyMap<string, number>): number => {
  let doubt = 1;
  for (const weight of weights.values()) doubt *= 1 - weight;
  return Math.round((1 - doubt) * 1000) / 1000;
};
