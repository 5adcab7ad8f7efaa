import { type AST, RegExpParser } from '@eslint-community/regexpp';

import { atOnce, stepChars, type Steps } from '../../src/guard/in-steps.js';
import { hiddenSignals } from './hidden-text.js';
import type { InjectionSignal } from './injection-signal.js';
import { normalizing } from './normalize-text.js';
import { createWordScanner, type WordScanner } from './word-scanner.js';
import { impersonationSignals, overrideSignals } from './override-signals.js';
import { lawlessSignals, personaSignals } from './jailbreak-signals.js';
import { leakSignals } from './leak-signals.js';
import { toolSignals } from './tool-signals.js';
import { computed } from '../../src/phase/plain-data.js';

/** The signals for a user's text. */
export const inputSignals: readonly InjectionSignal[] = [
  ...overrideSignals,
  ...impersonationSignals,
  ...leakSignals,
  ...personaSignals,
  ...lawlessSignals,
];

/** The signals for a tool result: the same, and orders to the model. */
export const toolResultSignals: readonly InjectionSignal[] = [...inputSignals, ...toolSignals];

/** The evidence for an injection. */
export interface InjectionScore {
  /**
   * The certainty, 0 to 1: signals near each other add up as independent evidence, `1 - (1 - w1) × (1 - w2) × …`, and the highest sum in a
   * text counts. Signals in a long document that have nothing to do with each other do not.
   */
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
const sectionChars = 1024;
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
  const numberOf = (word: string): number => computed(numbers, word, () => numbers.size);
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

/** The number of sections of a document whose signals add up. */
const sectionsPerWindow = 2;
/** All signals of a shorter text add up: it may be one message. */
const messageChars = 8192;

/** The weights of the signals in the window with the highest score. */
function* weighing(text: string, signals: readonly InjectionSignal[]): Steps<Map<string, number>> {
  let best = new Map<string, number>();
  const recent: ReadonlyMap<string, number>[] = [];
  const everywhere = new Map<string, number>();
  const { signals: sought, scanner } = soughtOf(signals);
  const { last, readTo } = scanner(text);
  const sections = text.length > messageChars ? sectionsPerWindow : Infinity;
  for (let from = 0; from < text.length; from += sectionChars) {
    const until = Math.min(text.length, from + sectionChars);
    const end = reachFrom(text, until);
    yield end - until;
    yield* readTo(end);
    const scope = text.slice(0, end);
    const found = new Map<string, number>();
    for (const { name, weight, pattern, needs, isOwn } of sought) {
      if (weight <= (found.get(name) ?? 0)) continue;
      if (isOwn ? !needs.every((list) => list.some((word) => (last[word] ?? 0) > from)) : from > 0) continue;
      yield (isOwn ? end - from : text.length) / signalsPerReading;
      pattern.lastIndex = from;
      const match = pattern.exec(isOwn ? scope : text);
      if (match && (!isOwn || match.index < until)) raise(isOwn ? found : everywhere, name, weight);
    }
    recent.splice(0, Math.max(0, recent.length - sections + 1));
    recent.push(found);
    best = strongest(best, joined([...recent, everywhere]));
  }
  return best;
}

const joined = (parts: readonly ReadonlyMap<string, number>[]): Map<string, number> => {
  const weights = new Map<string, number>();
  for (const part of parts) for (const [name, weight] of part) raise(weights, name, weight);
  return weights;
};

const strongest = <Weights extends ReadonlyMap<string, number>>(a: Weights, b: Weights): Weights =>
  combined(b) > combined(a) ? b : a;

const raise = (weights: Map<string, number>, name: string, weight: number): void => {
  weights.set(name, Math.max(weight, weights.get(name) ?? 0));
};

const combined = (weights: ReadonlyMap<string, number>): number => {
  let doubt = 1;
  for (const weight of weights.values()) doubt *= 1 - weight;
  return Math.round((1 - doubt) * 1000) / 1000;
};

/** Represents any character outside ASCII. */
export const beyondAscii = '\u0080';

/** Words in small letters, one of which is in every match. */
type OneOf = readonly string[];

/**
 * Words that every match of an expression contains, in any case: one word of each list. It may return too few lists, but never
 * too many; none for an expression whose matches have nothing in common.
 */
export const literalsOf = ({ source, flags }: RegExp): readonly OneOf[] => {
  const { pattern, flags: parsed } = new RegExpParser().parseLiteral(`/${source}/${flags}`);
  const isFolding = parsed.ignoreCase && (parsed.unicode || parsed.unicodeSets); // there a `k` may be a character outside ASCII
  const lists = inPattern(pattern);
  return isFolding ? lists.filter((words) => words.every((word) => word === beyondAscii)) : lists;
};

const inPattern = ({ alternatives }: { readonly alternatives: readonly AST.Alternative[] }): OneOf[] => {
  const each = alternatives.map(({ elements }) => inSequence(elements));
  return each.length === 1 ? (each[0] ?? []) : oneOfEach(each);
};

/** The most selective list of each alternative, joined. */
const oneOfEach = (alternatives: readonly (readonly OneOf[])[]): OneOf[] => {
  const best = alternatives.map((lists) => lists.toSorted((a, b) => worth(b) - worth(a))[0]);
  return best.every((words) => words !== undefined) ? [[...new Set(best.flat())]] : [];
};

const worth = (words: OneOf): number => Math.min(...words.map(({ length }) => length)) - words.length / 100;

const inSequence = (elements: readonly AST.Element[]): OneOf[] => {
  const lists: OneOf[] = [];
  let run = '';
  const endRun = (): void => {
    if (run !== '') lists.push([run]);
    run = '';
  };
  for (const element of elements) {
    const letter = element.type === 'Character' ? letterOf(element.value) : undefined;
    if (letter !== undefined && letter !== beyondAscii) run += letter;
    else {
      endRun();
      lists.push(...(letter === undefined ? inElement(element) : [[letter]]));
    }
  }
  endRun();
  return lists;
};

const letterOf = (code: number): string => (code < 0x80 ? String.fromCharCode(code).toLowerCase() : beyondAscii);

const inElement = (element: AST.Element): OneOf[] => {
  if (element.type === 'Group' || element.type === 'CapturingGroup') return inPattern(element);
  return element.type === 'Quantifier' && element.min > 0 ? inSequence([element.element]) : [];
};
