import { scrubbed } from './placeholders.js';
import { lostWords, textOf, wordsOf } from './words.js';

/** Two or more branches that edited the same words or set the same field. */
export interface Overlap {
  /** The original value; undefined if there was none. */
  readonly base: unknown;
  /** The value of each branch, in the order of the branches; undefined if a branch removed it. */
  readonly edits: readonly { readonly author: string; readonly value: unknown }[];
  /** The path, e.g. `messages.3.content.parts.0.text`. */
  readonly target: string;
}

/**
 * The rule for two branches that edited the same words:
 *
 * - `widest-redaction` (default): the edit that keeps the fewest words of the base, without the words that another branch
 *   removed; it depends neither on time nor on the order of the branches, and never brings back what a branch removed
 * - `first`, `last`: in the order in which the branches are written
 * - `error`: neither; the run fails
 * - a function: its return value; undefined removes the value
 */
export type OverlapRule = 'widest-redaction' | 'first' | 'last' | 'error' | ((overlap: Overlap) => unknown);

/** The name of a rule in reports. */
export const nameOfRule = (rule: OverlapRule): string => (typeof rule === 'function' ? rule.name || 'function' : rule);

/** Thrown by a merge under the rule `error`; the caller converts it to a verdict. */
export class MergeConflict extends Error {
  override readonly name = 'MergeConflict';
  readonly overlap: Overlap;
  constructor(overlap: Overlap) {
    super(`${overlap.edits.map((edit) => edit.author).join(' and ')} edited ${overlap.target}.`);
    this.overlap = overlap;
  }
}

/** One branch's version of a value. */
export interface Version<T = unknown> {
  readonly author: string;
  readonly value: T;
}

export interface MergeOptions {
  readonly rule: OverlapRule;
  /** Called for every overlap before the rule decides it. */
  readonly onOverlap: (overlap: Overlap) => void;
  /** Whether the value at a target is merged as a whole. Default: no value is. */
  readonly isWhole?: (target: string) => boolean;
  /**
   * Whether the value at a target is bookkeeping (ids, times): if branches differ there, any of their values is used, and no
   * overlap is reported. Default: never.
   */
  readonly isBookkeeping?: (target: string) => boolean;
}

/** The path of a value in the merged payload, and its merge options. */
export interface MergeTarget {
  readonly options: MergeOptions;
  /** Dotted, e.g. `messages.3.content.parts.0.text`; empty at the top. */
  readonly target: string;
}

/** The target of a value inside another. */
export const within = ({ options, target }: MergeTarget, key: string | number): MergeTarget => ({
  options,
  target: target ? `${target}.${key}` : String(key),
});

/** Reports an overlap and applies the rule. `isWhole`: the value is not prose. */
export const settle = (base: unknown, edits: readonly Version[], { place, isWhole = false }: SettleOptions): unknown => {
  const { options, target } = place;
  const overlap = { base, edits, target };
  options.onOverlap(overlap);
  return decide(overlap, options.rule, isWhole);
};

interface SettleOptions {
  place: MergeTarget;
  isWhole?: boolean;
}

/** The value after an overlap. `isWhole` marks a value that is not prose, so that no single words are removed from it. */
const decide = (overlap: Overlap, rule: OverlapRule, isWhole: boolean): unknown => {
  if (typeof rule === 'function') return rule(overlap);
  switch (rule) {
    case 'first':
      return overlap.edits[0]?.value;
    case 'last':
      return overlap.edits.at(-1)?.value;
    case 'error':
      throw new MergeConflict(overlap);
    case 'widest-redaction':
      return widestRedaction(overlap, isWhole);
    default:
      return rule satisfies never;
  }
};

const widestRedaction = ({ base, edits }: Overlap, isWhole: boolean): unknown => {
  const before = textOf(base);
  const [best] = edits.map(({ author, value }) => ({ author, value, text: textOf(value) })).toSorted(byReach(before));
  if (isWhole) return best?.value;
  return scrubbed(best?.value, { before, own: best?.text ?? '', others: edits.map(({ value }) => textOf(value)) });
};

/** An edit to be ranked: its replacement, as a text. */
interface Candidate {
  readonly author: string;
  readonly value?: unknown;
  readonly text: string;
}

/**
 * Ranks edits of a text, the one that keeps the fewest words first; removal before replacement, then the shorter text. The text itself
 * and the author's name only complete the order.
 */
export const byReach =
  (before: string) =>
  (a: Candidate, b: Candidate): number =>
    survivors(before, a.text) - survivors(before, b.text) ||
    a.text.length - b.text.length ||
    compare(a.text, b.text) ||
    compare(a.author, b.author);

/** Number of words that an edit of a text keeps. */
const survivors = (before: string, after: string): number => wordsOf(before).length - lostWords(before, after).length;

/** Orders texts by their code units, the same everywhere. */
export const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
