import { beginningChars, symbolCount, symbolOf, symbolsOf } from './beginnings.js';
import type { Beginning } from './facts.js';
import { firstIndex } from './reading.js';

/** The places at which the values of one finder may start. */
export interface Places {
  /** The first place, from `from` up to `until`; `until` if there is none. */
  next(text: string, from: number, until: number): number;
  /** Whether there may be such a place from `from` on, or shortly before: a cheap check. */
  may(text: string, from: number, until: number): boolean;
  /** The same, also of values whose beginning is not complete. */
  mayBeOpen(text: string, from: number): boolean;
}

/** A section of a text, and the places in it with a bit for each finder. */
interface Scan {
  readonly text: string;
  readonly from: number;
  readonly until: number;
  readonly places: readonly number[];
  readonly masks: readonly number[];
  /** The bits of all its places. */
  readonly seen: number;
}

/** The number of finders that share a pass: one bit each. */
const maxFinders = 32;
/** A text and its reading are searched in turn. */
const maxScans = 2;
/** Finders differ in how far they look back: after the longest label. */
const behindChars = 176;
const symbolBits = Math.log2(symbolCount);

/** The finders of each beginning, also of an incomplete one, by its length: a bit each. */
const createMasks = () => Array.from({ length: beginningChars + 1 }, (_, chars) => new Uint32Array(symbolCount ** chars));

/** Adds a finder to all beginnings with these symbols. */
const mark = (masks: readonly Uint32Array[], bit: number, symbols: readonly (readonly number[])[]): void => {
  let indexes = [0];
  for (const [chars, own] of masks.entries()) {
    for (const index of indexes) own[index] = (own[index] ?? 0) | bit;
    const next = symbols[chars] ?? [];
    indexes = indexes.flatMap((index) => next.map((symbol) => index * symbolCount + symbol));
  }
};

/** A beginning at the end of the text may be a shorter one. */
const scan = (masks: readonly Uint32Array[], text: string, { from, until }: Pick<Scan, 'from' | 'until'>): Scan => {
  const whole = masks[beginningChars] as Uint32Array; // the last table
  const [places, own]: [number[], number[]] = [[], []];
  let seen = 0;
  const end = until + beginningChars - 1;
  for (let [at, read] = [from, 0]; at < end; at += 1) {
    read = ((read << symbolBits) | (at < text.length ? symbolOf(text.charCodeAt(at)) : 0)) & (whole.length - 1);
    const mask = whole[read] as number; // within its length
    if (mask === 0 || at - from < beginningChars - 1) continue;
    places.push(at + 1 - beginningChars);
    own.push(mask);
    seen |= mask;
  }
  return { text, from, until, places, masks: own, seen };
};

/**
 * Finds the places at which values may start, for all finders in one pass over a text. Most places have the beginning of none, and
 * no expression is compared with them.
 */
export const createSieve = () => {
  const masks = createMasks();
  const finders = new Map<string, Places>();
  let scans: Scan[] = [];
  const scanned = (text: string, from: number, until: number): Scan => {
    for (const known of scans) if (known.text === text && known.from <= from && known.until >= until) return known;
    const found = scan(masks, text, { from: Math.max(0, from - behindChars), until });
    scans = [found, ...scans.slice(0, maxScans - 1)];
    return found;
  };
  /** The finders with an incomplete beginning at the end of a text. */
  const endsOf = (text: string): number => {
    let [seen, index] = [0, 0];
    for (let chars = 1; chars < beginningChars; chars += 1) {
      index += symbolOf(text.charCodeAt(text.length - chars)) * symbolCount ** (chars - 1);
      seen |= masks[chars]?.[index] ?? 0;
    }
    return seen;
  };
  const placesOf = (bit: number): Places => ({
    next: (text, from, until) => {
      const { places, masks: own } = scanned(text, from, until);
      for (let index = firstIndex(places, (at) => at >= from); index < places.length; index += 1)
        if ((own[index] as number) & bit) return Math.min(until, places[index] as number); // both have as many
      return until;
    },
    may: (text, from, until) => (scanned(text, from, until).seen & bit) !== 0,
    mayBeOpen: (text, from) => ((scanned(text, from, text.length).seen | endsOf(text)) & bit) !== 0,
  });
  /** Adds a finder by the beginnings of its values; undefined if they are unknown, or if there are too many finders. */
  const add = (beginnings: readonly Beginning[] | undefined): Places | undefined => {
    const key = String(beginnings?.join(' '));
    if (!beginnings || finders.has(key) || finders.size === maxFinders) return finders.get(key);
    const bit = 1 << finders.size;
    for (const sets of beginnings)
      mark(
        masks,
        bit,
        Array.from({ length: beginningChars }, (_, at) => symbolsOf(sets[at] ?? -1)),
      );
    scans = [];
    finders.set(key, placesOf(bit));
    return finders.get(key);
  };
  return { add };
};

export const sieve = createSieve();
