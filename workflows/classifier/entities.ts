import type { TextSpan } from '../../src/guard/pattern.js';
import type { Entity } from '../patterns/entity-finder.js';

/** A section of a text that is tokenized at once. */
export interface Piece {
  readonly text: string;
  readonly offset: number;
}

/** A token, and its characters in the text. */
export interface Token {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

/** A token that is part of an entity. */
export interface Mark extends Omit<Token, 'id'> {
  readonly kind: string;
  readonly score: number;
  /** Whether an entity begins with it. */
  readonly isFirst: boolean;
}

/** Characters of scripts that separate words. Other scripts keep the ends of tokens. */
const wordForm =
  /(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])[\p{L}\p{M}\p{N}])+/gu;
/** Characters between two words of one name. */
const gapForm = /^[\p{Zs}.'’\u2010-\u2013-]{0,3}$/u;

/** Entities of whole words, so that no piece of a name is left. Marks of two windows may overlap. */
export const entitiesOf = (text: string, marks: readonly Mark[]): Entity[] => {
  if (marks.length === 0) return [];
  const found: Mark[] = [];
  const whole = wholeWords(text);
  for (const mark of marks.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const { start, end } = whole(mark);
    const last = found.at(-1);
    const isOverlap = last !== undefined && start < last.end;
    const isNext = last?.kind === mark.kind && !mark.isFirst && gapForm.test(text.slice(last.end, start).slice(0, 4));
    if (last && (isOverlap || isNext))
      found[found.length - 1] = { ...(mark.score > last.score ? mark : last), start: last.start, end: Math.max(last.end, end) };
    else found.push({ ...mark, start, end });
  }
  return found
    .map(({ start, end, kind }) => ({ start, end, kind }))
    .filter(({ start, end }) => /[\p{L}\p{N}]/u.test(text.slice(start, end)));
};

/** Extends marks, in order of their starts, to the words that they touch. Each word is read once. */
const wholeWords = (text: string): ((mark: Mark) => TextSpan) => {
  const words = text.matchAll(wordForm);
  let word = words.next().value;
  const endOf = (of: RegExpExecArray): number => of.index + of[0].length;
  return ({ start, end }) => {
    while (word && endOf(word) <= start) word = words.next().value;
    const from = word && word.index < end ? Math.min(start, word.index) : start;
    while (word && endOf(word) < end) word = words.next().value;
    return { start: from, end: word && word.index < end ? Math.max(end, endOf(word)) : end };
  };
};

/** The form in which a tokenizer's normalized tokens are compared with the text. */
const fold = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** The distance at which a token after an unknown one is searched, in folded characters. */
const maxSkipped = 64;

/** A tokenizer, without special tokens. */
interface WordTokenizer {
  encode(text: string): readonly number[];
  decode(token: number): string;
}

/** Tokenizes text word by word, and finds the characters of each token, which the tokenizer does not return. */
export const tokensWith = ({ encode, decode }: WordTokenizer): ((piece: Piece) => Token[]) => {
  const known = new Map<number, string>();
  const charsOf = (id: number): string => {
    const chars =
      known.get(id) ??
      fold(decode(id))
        .trim()
        .replace(/^##(?=.)/u, '');
    known.set(id, chars);
    return chars;
  };
  return ({ text, offset }) =>
    [...text.matchAll(/\S+/g)].flatMap(({ 0: word, index }) =>
      align(word, encode((index > 0 ? ' ' : '') + word), charsOf).map(({ id, start, end }) => ({
        id,
        start: offset + index + start,
        end: offset + index + end,
      })),
    );
};

/** The characters of a word's tokens. A token that does not occur, such as an unknown one, has those up to the next that does. */
const align = (word: string, ids: readonly number[], charsOf: (id: number) => string): Token[] => {
  const { folded, indexes } = foldWord(word);
  const tokens: { id: number; start: number; end: number }[] = [];
  let [at, lost] = [0, 0];
  for (const id of ids) {
    const chars = charsOf(id);
    const found = chars === '' ? -1 : folded.slice(at, at + chars.length + (lost > 0 ? maxSkipped : 0)).indexOf(chars);
    const start = at + Math.max(0, found);
    for (const token of found < 0 ? [] : tokens.slice(tokens.length - lost)) token.end = start;
    lost = found < 0 ? lost + 1 : 0;
    at = found < 0 ? at : start + chars.length;
    tokens.push({ id, start, end: found < 0 ? folded.length : at });
  }
  const indexOf = (unit: number): number => indexes[unit] ?? word.length;
  return tokens.map(({ id, start, end }) => ({ id, start: indexOf(start), end: indexOf(end) }));
};

/** A word in the form of its tokens, and the index in the word of each of its characters. */
const foldWord = (word: string): { folded: string; indexes: readonly number[] } => {
  const indexes: number[] = [];
  const folded: string[] = [];
  let at = 0;
  for (const char of word) {
    const plain = fold(char);
    folded.push(plain);
    for (let unit = 0; unit < plain.length; unit += 1) indexes.push(at);
    at += char.length;
  }
  return { folded: folded.join(''), indexes };
};
