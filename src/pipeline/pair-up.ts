import { isRecord } from '../phase/plain-data.js';
import { isName, textOf, wordsOf } from './words.js';

/** More comparisons than this are not worth their time: then entries are paired one after another. */
const mostComparisons = 10_000;

/**
 * Pairs the entries that stood in a gap of an array with those that stand there now, so that a changed entry is known as such:
 * the most alike ones, without crossing. Gives for each new entry the index of the old one that it came from, or nothing.
 */
export const pairUp = (before: readonly unknown[], after: readonly unknown[]): (number | undefined)[] => {
  const old = before.map(portraitOf);
  const young = after.map(portraitOf);
  if (old.length * young.length > mostComparisons)
    return young.map((portrait, index) => (likeness(old[index], portrait) > 0 ? index : undefined));
  return trace(
    old.map((a) => young.map((b) => likeness(a, b))),
    young.length,
  );
};

/** What two entries are compared by. */
interface Portrait {
  /** Entries of another kind never come from each other. */
  readonly kind: string;
  readonly words: ReadonlySet<string>;
}

const portraitOf = (entry: unknown): Portrait | undefined => {
  if (isRecord(entry)) {
    const { type, role, ...rest } = entry;
    return { kind: `${textOf(type)} ${textOf(role)}`, words: new Set(wordsOf(textOf(rest))) };
  }
  return typeof entry === 'string' && !isName(entry) ? { kind: 'text', words: new Set(wordsOf(entry)) } : undefined;
};

/** What being of one kind counts beside words in common. */
const sameKind = 1e-6;

/** 0 for strangers; for entries of one kind the share of words that they have in common, and a little. */
const likeness = (a: Portrait | undefined, b: Portrait | undefined): number => {
  if (!a || !b || a.kind !== b.kind) return 0;
  const shared = [...a.words].filter((word) => b.words.has(word)).length;
  return sameKind + shared / Math.max(a.words.size, b.words.size, 1);
};

/** The pairing that is most alike as a whole, by the likeness of each to each. */
const trace = (likes: readonly (readonly number[])[], width: number): (number | undefined)[] => {
  // `totals[i][j]` is the best that can be had from the entries `i` and `j` on.
  const totals: number[][] = likes.map(() => []);
  const total = (i: number, j: number): number => totals[i]?.[j] ?? 0;
  const paired = (i: number, j: number): number => {
    const like = likes[i]?.[j] ?? 0;
    return like > 0 ? like + total(i + 1, j + 1) : 0;
  };
  for (const [i, row] of [...totals.entries()].toReversed())
    for (let j = width - 1; j >= 0; j -= 1) row[j] = Math.max(paired(i, j), total(i + 1, j), total(i, j + 1));
  const pairs = Array.from({ length: width }, (): number | undefined => undefined);
  for (let i = 0, j = 0; i < likes.length && j < width;)
    if (paired(i, j) > 0 && total(i, j) === paired(i, j)) pairs[j++] = i++;
    else if (total(i, j) === total(i + 1, j)) i += 1;
    else j += 1;
  return pairs;
};
