import { matching } from './matching.js';
import { lazyRegex } from '../../src/phase/lazy-regex.js';

/** An invisible character that may hide a word by splitting it; a source, like the next one. */
export const invisible = String.raw`[\u00AD\u200B-\u200F\u2060-\u2064\uFEFF]`;
/** The characters of a word. */
export const wordChar = String.raw`[\p{L}\p{M}\p{N}_]`;
/** Scripts without spaces: their words have no visible edge. */
const unspaced = lazyRegex(String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`);

/** Finds terms like {@link termPattern}, so that a long text can be read in steps. */
export const termMatching = (terms: readonly string[], wholeWords: boolean): ReturnType<typeof matching> => {
  const most = Math.max(1, ...terms.map((term) => term.normalize('NFKC').length));
  const blank = String.raw`[\s\u00AD\u200B-\u200F\u2060-\u2064\uFEFF]`;
  return matching(termPattern(terms, wholeWords), new RegExp(`${blank}*(?:[^]${blank}*){0,${most}}`, 'u'));
};

/**
 * A pattern that finds any of the terms, regardless of case, white space between their words, and invisible characters
 * inside them. Without terms it matches nothing.
 *
 * @param wholeWords Whether a term must not be part of a longer word. Edges are Unicode-aware. An edge that is no letter or
 *   digit (`c++`), or of a script without spaces, is not checked.
 */
export const termPattern = (terms: readonly string[], wholeWords: boolean): RegExp => {
  const sources = terms
    .map((term) => term.normalize('NFKC').trim())
    .filter(Boolean)
    .toSorted((a, b) => b.length - a.length)
    .map((term) => (wholeWords ? withEdges(term) : sourceOf(term)));
  return new RegExp(sources.join('|') || '(?!)', 'giu');
};

const sourceOf = (term: string): string =>
  term
    .split(/\s+/)
    .map((word) => Array.from(word, escape).join(`${invisible}*`))
    .join(String.raw`\s+`);

const escape = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/]/u, String.raw`\$&`);

const withEdges = (term: string): string => {
  const [first = '', last = ''] = [Array.from(term)[0], Array.from(term).at(-1)];
  const before = hasEdge(first) ? `(?<!${wordChar})` : '';
  const after = hasEdge(last) ? `(?!${wordChar})` : '';
  return before + sourceOf(term) + after;
};

/** Whether the adjoining character decides if a word that starts or ends with this character is part of a longer one. */
export const hasEdge = (character: string): boolean => new RegExp(wordChar, 'u').test(character) && !unspaced().test(character);
