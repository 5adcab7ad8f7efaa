import { lazyRegex, once } from '../../src/phase/memo.js';
import type { TextSpan } from '../../src/guard/pattern.js';
import type { Finder } from './define-finder.js';
import { asciiSet, type AsciiSet, indexOfAny } from './ascii-set.js';
import { matching } from '../text/matching.js';

/** An invisible character that may hide a word by splitting it; a source, like the next one. */
const invisible = String.raw`[\u00AD\u200B-\u200F\u2060-\u2064\uFEFF]`;
/** The characters of a word. */
const wordChar = String.raw`[\p{L}\p{M}\p{N}_]`;
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
const hasEdge = (character: string): boolean => new RegExp(wordChar, 'u').test(character) && !unspaced().test(character);

/**
 * In a stream a term has a bound: with more than this between two of its characters or words, only the check of the whole text finds it.
 */
const maxInvisible = 16;
const maxSpaces = 64;
/** A character of a text may have two units, and one of a term at least one. */
const unitsPerCharacter = 2;

interface Term {
  /** The normalized text: in lower case, with accents and compatibility forms decomposed, and one space between words. */
  readonly letters: string;
  readonly edges: { readonly before: boolean; readonly after: boolean };
}

/** A term that starts at a place, as far as the text goes. */
interface Reading {
  /** Its end; undefined if the text ends before. */
  readonly end: number | undefined;
  /** Whether more text can change the decision. */
  readonly isOpen: boolean;
}

const spaceChar = /\s/;
const invisibleChar = lazyRegex(invisible);
const partOfWord = lazyRegex(wordChar);
const partOfWordBefore = lazyRegex(`${wordChar}$`);

/**
 * Finds terms like `termPattern`, in texts that are still growing: in any case and compatibility form, with accents decomposed or
 * not, with invisible characters inside words and any white space between them, up to a bound.
 */
export const termFinder = (terms: readonly string[], wholeWords: boolean): Finder => {
  const byFirst = Map.groupBy(
    terms.flatMap((term) => termOf(term, wholeWords)).toSorted((a, b) => b.letters.length - a.letters.length),
    ({ letters }) => letters.charAt(0),
  );
  const first: AsciiSet = asciiSet((character) => byFirst.has(lettersOf(character).charAt(0)));
  const inside = new Map([...byFirst].map(([letter, sameStart]) => [letter, sameStart.filter(({ edges }) => !edges.before)]));
  const termsAt = (text: string, at: number): readonly Term[] =>
    (isInsideWord(text, at) ? inside : byFirst).get(lettersOf(characterAt(text, at)).charAt(0)) ?? [];
  const maxLength = Math.max(1, ...[...byFirst.values()].flat().map(maxLengthOf));
  return {
    maxLength,
    lookbehind: unitsPerCharacter,
    lookahead: unitsPerCharacter,
    find: (text, from, until = text.length) => {
      const spans: TextSpan[] = [];
      for (let at = indexOfAny(first, text, { from, until }); at < until;) {
        const end = firstEnd(termsAt(text, at), text, at);
        if (end !== undefined) spans.push({ start: at, end });
        at = indexOfAny(first, text, { from: end ?? at + characterAt(text, at).length, until });
      }
      return spans;
    },
    open: (text, from) => {
      const until = text.length;
      for (
        let at = indexOfAny(first, text, { from: Math.max(from, until - maxLength - unitsPerCharacter), until });
        at < until;
      ) {
        for (const term of termsAt(text, at)) if (read(term, text, at)?.isOpen) return at;
        at = indexOfAny(first, text, { from: at + characterAt(text, at).length, until });
      }
      return until;
    },
  };
};

const wordAscii = once(() => asciiSet((character) => partOfWord().test(character)));

/** Whether the text before a position is part of a word. */
const isInsideWord = (text: string, at: number): boolean => {
  const before = at > 0 ? text.charCodeAt(at - 1) : 0x20;
  const isPart = wordAscii()[before];
  return isPart === undefined ? partOfWordBefore().test(text.slice(Math.max(0, at - 2), at)) : isPart === 1;
};

const termOf = (term: string, wholeWords: boolean): Term[] => {
  const characters = Array.from(term.normalize('NFKC').trim());
  const [first, last] = [characters[0], characters.at(-1)];
  if (first === undefined || last === undefined) return [];
  const letters = characters.map(lettersOf).join('').replaceAll(/\s+/g, ' ');
  return [{ letters, edges: { before: wholeWords && hasEdge(first), after: wholeWords && hasEdge(last) } }];
};

/** A character in the notation of terms; both lower-case sigmas are one letter. */
const lettersOf = (character: string): string =>
  character < '\u0080' ? character.toLowerCase() : character.normalize('NFKD').toLowerCase().replaceAll('ς', 'σ');

const characterAt = (text: string, at: number): string => {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
};

const maxLengthOf = ({ letters }: Term): number => {
  const spaces = letters.split(' ').length - 1;
  return letters.length * (unitsPerCharacter + maxInvisible) + spaces * maxSpaces;
};

const firstEnd = (terms: readonly Term[], text: string, at: number): number | undefined => {
  for (const term of terms) {
    const end = read(term, text, at)?.end;
    if (end !== undefined) return end;
  }
  return undefined;
};

const open: Reading = { end: undefined, isOpen: true };

const read = ({ letters, edges }: Term, text: string, start: number): Reading | undefined => {
  let at = start;
  for (let index = 0; index < letters.length;) {
    const isSpace = letters[index] === ' ';
    if (isSpace) at = behind(spaceChar, text, { at, most: maxSpaces });
    else if (index > 0 && letters[index - 1] !== ' ') at = behind(invisibleChar(), text, { at, most: maxInvisible });
    if (at === text.length) return open;
    const form = isSpace ? ' ' : lettersOf(characterAt(text, at));
    if (isSpace ? !spaceChar.test(text[at - 1] ?? '') : !letters.startsWith(form, index)) return undefined;
    index += form.length;
    if (!isSpace) at += characterAt(text, at).length;
  }
  if (!edges.after) return { end: at, isOpen: false };
  return partOfWord().test(characterAt(text, at)) ? undefined : { end: at, isOpen: at === text.length };
};

/** The position after a run of characters of a kind, with a maximum length. */
const behind = (kind: RegExp, text: string, { at, most }: { at: number; most: number }): number => {
  let end = at;
  while (end < text.length && end - at < most && kind.test(text.charAt(end))) end += 1;
  return end;
};
