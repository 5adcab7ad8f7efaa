import { isNameField, lostWords, textOf, withoutWords, wordsOf, spansBetween } from './spans.js';
import { isRecord } from '../phase/plain-data.js';

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

/** `[EMAIL]`, `<PHONE_1>`, `{SECRET:a4}`: a name in capitals and brackets. */
const placeholder = /(\[[A-Z][A-Z\d_:.#-]*\]|<[A-Z][A-Z\d_:.#-]*>|\{[A-Z][A-Z\d_:.#-]*\})/;

/**
 * Whether a placeholder is new: it replaced words and contains none of them. Another branch may have removed the same word elsewhere. A
 * placeholder that replaced nothing may quote.
 */
const isNew = (section: string, piece: string): boolean => {
  const before = new Set(wordsOf(section));
  return before.size > 0 && !wordsOf(piece).some((word) => before.has(word));
};

/** Removes words, given folded, from a text, except from some placeholders. */
const withoutWordsBut = (text: string, words: ReadonlySet<string>, shouldKeep: (piece: string) => boolean): string =>
  text
    .split(placeholder)
    .map((piece, index) => (index % 2 === 1 && shouldKeep(piece) ? piece : withoutWords(piece, words)))
    .join('');

/** The replacement of a section of the base, without words that some branch removed from the text; new placeholders stay. */
export const withoutMovedWords = (section: string, text: string, lost: ReadonlySet<string>): string =>
  lost.size === 0 ? text : withoutWordsBut(text, lost, (piece) => isNew(section, piece));

/** The placeholders of a text that are new at all their positions. */
const newPlaceholders = (before: string, after: string): ReadonlySet<string> => {
  if (!placeholder.test(after)) return new Set();
  const found = spansBetween(before, after).flatMap(({ start, end, text }) =>
    text.split(placeholder).flatMap((piece, index) => (index % 2 === 1 ? [{ piece, section: before.slice(start, end) }] : [])),
  );
  const old = new Set(found.filter(({ piece, section }) => !isNew(section, piece)).map(({ piece }) => piece));
  return new Set(found.map(({ piece }) => piece).filter((piece) => !old.has(piece)));
};

/** A branch's version of a text, and the others' versions. */
interface Scrubbing {
  readonly before: string;
  readonly own: string;
  readonly others: readonly string[];
}

/** Removes from the prose of a branch's value the words that other branches removed from the text before. */
export const scrubbed = (value: unknown, { before, own, others }: Scrubbing): unknown => {
  const lost = new Set(others.flatMap((other) => lostWords(before, other)));
  if (lost.size === 0) return value;
  const placeholders = newPlaceholders(before, own);
  const scrub = (one: unknown): unknown => {
    if (typeof one === 'string') return withoutWordsBut(one, lost, (piece) => placeholders.has(piece));
    if (Array.isArray(one)) return one.map(scrub);
    if (!isRecord(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([field, held]) => [field, isNameField(field) ? held : scrub(held)]));
  };
  return scrub(value);
};
