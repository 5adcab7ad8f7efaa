import { diffArrays } from 'diff/lib/diff/array.js';
import { isRecord, isSame } from '../phase/plain-data.js';
import { isName, textOf, wordsOf } from './spans.js';

/** Marks a removed entry of the base. */
export const removed: unique symbol = Symbol('removed');

/** A new entry, and the range of changed or removed base entries at its position, which it may come from. */
interface Inserted {
  readonly entry: unknown;
  /** Index of the first entry of the base (inclusive) and the last (exclusive); an empty range if they are equal. */
  readonly from: number;
  readonly to: number;
}

/**
 * Matches entries of an edited array with entries of the base: by unique keys if all have one, otherwise by the longest common
 * sequence. Unmatched entries in the same gap are paired by similarity. Returns for each entry of the base its current version, or `removed`;
 * and the new entries by position: 0 is before the first entry of the base, n is after its n-th.
 */
export const alignArray = (base: readonly unknown[], edited: readonly unknown[]) => {
  const origins = keysOf(base) && keysOf(edited) ? originsByKey(base, edited) : originsBySequence(base, edited);
  const alignedEntries = base.map((): unknown => removed);
  for (const [index, origin] of origins.entries()) if (origin !== undefined) alignedEntries[origin] = edited[index];
  const inserted = new Map<number, Inserted[]>();
  for (const gap of gapsOf(edited, origins)) {
    const { from, entries } = gap;
    const to = endOfGap(alignedEntries, from);
    let position = from;
    for (const [index, pair] of pairUp(base.slice(from, to), entries).entries()) {
      const entry = entries[index];
      if (pair === undefined) inserted.set(position, [...(inserted.get(position) ?? []), { entry, from, to }]);
      else {
        alignedEntries[from + pair] = entry;
        position = from + pair + 1;
      }
    }
  }
  return { alignedEntries, inserted };
};

/** The key of an entry: its id, or itself if it is a text. */
export const keyOf = (entry: unknown): string | undefined => {
  if (typeof entry === 'string') return entry;
  return isRecord(entry) && typeof entry.id === 'string' ? entry.id : undefined;
};

/** The keys of entries; undefined unless all have a unique one. */
export const keysOf = (entries: readonly unknown[]): string[] | undefined => {
  const keys = entries.map(keyOf);
  return keys.every((key) => key !== undefined) && new Set(keys).size === keys.length ? keys : undefined;
};

/** For each edited entry, the index of its base entry. */
type Origins = readonly (number | undefined)[];

const originsByKey = (base: readonly unknown[], edited: readonly unknown[]): Origins => {
  const indexes = new Map(base.map((entry, index) => [keyOf(entry), index]));
  return edited.map((entry) => indexes.get(keyOf(entry)));
};

/** Arrays that differ in more entries than this are treated as completely new. */
const maxEditLength = 500;

const originsBySequence = (base: readonly unknown[], edited: readonly unknown[]): Origins => {
  const changes = diffArrays([...base], [...edited], { comparator: isSameEntry, maxEditLength });
  if (!changes) return edited.map(() => undefined);
  let at = 0;
  return changes.flatMap(({ added, removed: isRemoval, count }) => {
    if (!added) at += count;
    const isCommon = !added && !isRemoval;
    return isRemoval ? [] : Array.from({ length: count }, (_, index) => (isCommon ? at - count + index : undefined));
  });
};

const isSameEntry = (a: unknown, b: unknown): boolean => {
  const key = keyOf(a);
  return key === undefined ? isSame(a, b) : key === keyOf(b);
};

/** Consecutive new entries, and the index of the base entry that follows the one before them. */
interface Gap {
  readonly from: number;
  readonly entries: unknown[];
}

const gapsOf = (edited: readonly unknown[], origins: Origins): Gap[] => {
  const gaps: Gap[] = [];
  let open: Gap | undefined;
  let from = 0;
  for (const [index, origin] of origins.entries()) {
    if (origin !== undefined) {
      from = origin + 1;
      open = undefined;
      continue;
    }
    if (!open) gaps.push((open = { from, entries: [] }));
    open.entries.push(edited[index]);
  }
  return gaps;
};

/** The end of the removed entries from an index on. */
const endOfGap = (aligned: readonly unknown[], from: number): number => {
  const next = aligned.findIndex((entry, index) => index >= from && entry !== removed);
  return next < 0 ? aligned.length : next;
};

/** With more comparisons than this, entries are paired in order instead. */
const mostComparisons = 10_000;

/**
 * Pairs the old and new entries of a gap in an array, so that a changed entry is recognized: the most similar ones, without crossing.
 * Returns for each new entry the index of its old one, or undefined.
 */
const pairUp = (before: readonly unknown[], after: readonly unknown[]): (number | undefined)[] => {
  const old = before.map(portraitOf);
  const young = after.map(portraitOf);
  if (old.length * young.length > mostComparisons)
    return young.map((portrait, index) => (likeness(old[index], portrait) > 0 ? index : undefined));
  return trace(
    old.map((a) => young.map((b) => likeness(a, b))),
    young.length,
  );
};

/** The features that two entries are compared by. */
interface Portrait {
  /** Entries of different kinds are never paired. */
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

/** The weight of equal kinds compared with common words. */
const sameKind = 1e-6;

/** 0 for entries of different kinds; otherwise the share of common words, and a little. */
const likeness = (a: Portrait | undefined, b: Portrait | undefined): number => {
  if (!a || !b || a.kind !== b.kind) return 0;
  const shared = [...a.words].filter((word) => b.words.has(word)).length;
  return sameKind + shared / Math.max(a.words.size, b.words.size, 1);
};

/** The pairing with the highest total likeness. */
const trace = (likes: readonly (readonly number[])[], width: number): (number | undefined)[] => {
  // `totals[i][j]` is the best total from the entries `i` and `j` on.
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
