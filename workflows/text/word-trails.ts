import { lazyRegex } from '../../src/phase/memo.js';
import { unspaced } from './characters.js';

/** The words of passages, and the places of each. */
export interface WordIndex {
  readonly words: readonly string[];
  readonly places: ReadonlyMap<string, readonly number[]>;
}

/** The part of a passage that a text has followed. */
interface Trail {
  readonly letters: number;
  /** The number of places with other words in between. */
  readonly gaps: number;
  /** The number of other words since the last one of the passage. */
  readonly others: number;
}

/** The trails of a text, by the place of the next word. */
export type Trails = ReadonlyMap<number, Trail>;

/** The words between two words of a passage, such as the marker of a list: `a)`, `Rule IV.`, `Second,`. */
const maxOthers = 2;
/** A text with fewer gaps repeats a fact in its own words, and must repeat twice as much. */
const minGaps = 3;
/** A word with more places starts no trail: the next one does. */
const maxPlaces = 64;

const word = lazyRegex(String.raw`${unspaced}|[[\p{L}\p{M}]--${unspaced}]+`, 'gv');
const wordsOf = (text: string): readonly string[] => text.normalize('NFKC').toLowerCase().match(word()) ?? [];

/** An empty index, and functions that add a piece of a passage, and end the passage. */
export const createWordIndex = (): WordIndex & { add(text: string): void; endPassage(): void } => {
  const words: string[] = [];
  const places = new Map<string, number[]>();
  return {
    words,
    places,
    add: (text) => {
      for (const one of wordsOf(text)) {
        const known = places.get(one) ?? [];
        places.set(one, known);
        known.push(words.length);
        words.push(one);
      }
    },
    endPassage: () => void words.push(''), // no word equals it
  };
};

/** Follows the passages in a text that goes on. Returns the trails, or undefined if one has enough letters to be a quotation. */
export const followWords = (
  { words, places }: WordIndex,
  text: string,
  { trails, least }: { readonly trails: Trails; readonly least: number },
): Trails | undefined => {
  let current = trails;
  for (const one of wordsOf(text)) {
    const starts = places.get(one) ?? [];
    if (starts.length + current.size === 0) continue;
    const next = new Map<number, Trail>();
    for (const at of starts.length > maxPlaces ? [] : starts) next.set(at + 1, { letters: one.length, gaps: 0, others: 0 });
    for (const [at, { letters, gaps, others }] of current) {
      const trail = { letters: letters + one.length, gaps: gaps + Math.sign(others), others: 0 };
      if (words[at] === one && trail.letters >= (trail.gaps < minGaps ? 2 * least : least)) return undefined;
      if (words[at] === one) next.set(at + 1, trail);
      else if (others < maxOthers && !next.has(at)) next.set(at, { letters, gaps, others: others + 1 });
    }
    current = next;
  }
  return current;
};
