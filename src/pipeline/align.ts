import { diffArrays } from 'diff';
import { pairUp } from './pair-up.js';
import { isRecord, isSame } from '../phase/plain-data.js';

/** Stands where an entry of the base was taken out. */
export const removed: unique symbol = Symbol('removed');

/** A new entry, and the entries of the base that were changed or taken out at its place: what it may be made of. */
export interface Inserted {
  readonly entry: unknown;
  /** From this entry of the base (inclusive) to that (exclusive); none where they are the same. */
  readonly from: number;
  readonly to: number;
}

/** What became of an array, told entry by entry of the base. */
export interface Alignment {
  /** For each entry of the base, what became of it. */
  readonly kept: readonly unknown[];
  /** New entries by position: 0 is before the first entry of the base, n is after its n-th. */
  readonly inserted: ReadonlyMap<number, readonly Inserted[]>;
}

/**
 * Finds out which entry of an edited array came from which entry of the base: by their keys where all have one of their own,
 * else by the longest sequence that both share. What stands in one gap on both sides is paired by likeness.
 */
export const alignArray = (base: readonly unknown[], edited: readonly unknown[]): Alignment => {
  const origins = keysOf(base) && keysOf(edited) ? originsByKey(base, edited) : originsBySequence(base, edited);
  const kept = base.map((): unknown => removed);
  for (const [index, origin] of origins.entries()) if (origin !== undefined) kept[origin] = edited[index];
  const inserted = new Map<number, Inserted[]>();
  for (const gap of gapsOf(edited, origins)) {
    const { from, entries } = gap;
    const to = endOfGap(kept, from);
    let position = from;
    for (const [index, pair] of pairUp(base.slice(from, to), entries).entries()) {
      const entry = entries[index];
      if (pair === undefined) inserted.set(position, [...(inserted.get(position) ?? []), { entry, from, to }]);
      else {
        kept[from + pair] = entry;
        position = from + pair + 1;
      }
    }
  }
  return { kept, inserted };
};

/** What an entry is known by: its id, or itself where it is a name. */
export const keyOf = (entry: unknown): string | undefined => {
  if (typeof entry === 'string') return entry;
  return isRecord(entry) && typeof entry.id === 'string' ? entry.id : undefined;
};

/** The keys of entries that all have one of their own, or nothing. */
export const keysOf = (entries: readonly unknown[]): string[] | undefined => {
  const keys = entries.map(keyOf);
  return keys.every((key) => key !== undefined) && new Set(keys).size === keys.length ? keys : undefined;
};

/** For each edited entry, the index of the entry of the base that it is. */
type Origins = readonly (number | undefined)[];

const originsByKey = (base: readonly unknown[], edited: readonly unknown[]): Origins => {
  const indexes = new Map(base.map((entry, index) => [keyOf(entry), index]));
  return edited.map((entry) => indexes.get(keyOf(entry)));
};

/** Arrays that differ in more entries than this are taken as made anew. */
const maxEditLength = 500;

const originsBySequence = (base: readonly unknown[], edited: readonly unknown[]): Origins => {
  const changes = diffArrays([...base], [...edited], { comparator: isSameEntry, maxEditLength });
  if (!changes) return edited.map(() => undefined);
  let at = 0;
  return changes.flatMap(({ added, removed: gone, count }) => {
    if (!added) at += count;
    const isCommon = !added && !gone;
    return gone ? [] : Array.from({ length: count }, (_, index) => (isCommon ? at - count + index : undefined));
  });
};

const isSameEntry = (a: unknown, b: unknown): boolean => {
  const key = keyOf(a);
  return key === undefined ? isSame(a, b) : key === keyOf(b);
};

/** New entries that stand together, and the entry of the base after which they do. */
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

/** Where the entries end that were taken out from a place on. */
const endOfGap = (kept: readonly unknown[], from: number): number => {
  const next = kept.findIndex((entry, index) => index >= from && entry !== removed);
  return next < 0 ? kept.length : next;
};
