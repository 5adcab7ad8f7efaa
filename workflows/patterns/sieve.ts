import { beginningChars, symbolCount, symbolOf } from './beginnings.js';
import { firstIndex } from './reading.js';

/** The places at which the values of one finder may start. */
export interface Places {
  /** The first place, from `from` up to `until`; `until` if there is none. */
  next(text: string, from: number, until: number): number;
}

/** A section of a text, and the places in it by finder. */
interface Scan {
  readonly text: string;
  readonly from: number;
  readonly until: number;
  readonly places: readonly (readonly number[])[];
}

/** The number of finders that share a pass: one bit each. */
const maxFinders = 32;
/** A text and its reading are searched in turn. */
const maxScans = 2;
/** Finders differ in how far they look back: after the longest label. */
const behindChars = 176;
const symbolBits = Math.log2(symbolCount);

/**
 * Finds the places at which values may start, for all finders in one pass over a text. Most places have the beginning of none, and
 * no expression is compared with them.
 */
export const createSieve = () => {
  const masks = new Uint32Array(symbolCount ** beginningChars);
  const finders = new Map<string, Places>();
  let scans: Scan[] = [];
  const placesIn = (text: string, from: number, until: number): number[][] => {
    const places = Array.from(finders, (): number[] => []);
    const end = Math.min(text.length, until + beginningChars - 1);
    const first = from + beginningChars - 1;
    for (let [at, read] = [from, 0]; at < end; at += 1) {
      read = ((read << symbolBits) | symbolOf(text.charCodeAt(at))) & (masks.length - 1);
      let mask = masks[read] as number; // within its length
      for (; mask !== 0 && at >= first; mask &= mask - 1) places[31 - Math.clz32(mask & -mask)]?.push(at + 1 - beginningChars);
    }
    return places;
  };
  const scanned = (text: string, from: number, until: number): Scan => {
    const known = scans.find((scan) => scan.from <= from && scan.until >= until && scan.text === text);
    if (known) return known;
    const first = Math.max(0, from - behindChars);
    const scan = { text, from: first, until, places: placesIn(text, first, until) };
    scans = [scan, ...scans.slice(0, maxScans - 1)];
    return scan;
  };
  /** Adds a finder by the beginnings of its values; undefined if they are unknown, or if there are too many finders. */
  const add = (beginnings: readonly string[] | undefined): Places | undefined => {
    const key = beginnings?.join(' ');
    const own = finders.size;
    if (!beginnings || key === undefined || finders.has(key) || own === maxFinders) return finders.get(key ?? '');
    for (const beginning of beginnings) {
      const index = Array.from(beginning).reduce((sum, symbol) => sum * symbolCount + symbol.charCodeAt(0), 0);
      const size = symbolCount ** (beginningChars - beginning.length);
      for (let at = index * size; at < (index + 1) * size; at += 1) masks[at] = (masks[at] ?? 0) | (1 << own);
    }
    const places: Places = {
      next: (text, from, until) => {
        const { [own]: found = [] } = scanned(text, from, until).places;
        const place = found[firstIndex(found, (at) => at >= from)];
        return place === undefined || place >= until ? until : place;
      },
    };
    scans = [];
    finders.set(key, places);
    return places;
  };
  return { add };
};

export const sieve = createSieve();
