import type { AsciiSet } from './ascii-set.js';

/** The reach of an expression, in UTF-16 units; `Infinity` without a bound. */
export interface Reach {
  /** The longest match. */
  readonly length: number;
  /** The distance that it looks back before a match. */
  readonly behind: number;
  /** The distance that it looks ahead of its current place. */
  readonly ahead: number;
}

/** The characters of an expression's matches: possibly too many, never too few. */
export interface Alphabet {
  /** The characters at the start of a match. */
  readonly first: AsciiSet;
  /** The characters anywhere in a match. */
  readonly any: AsciiSet;
}

/** The beginning of a match: a set of symbols for each of its characters, with a bit for each symbol. */
export type Beginning = readonly number[];

/** Facts of an expression. */
export interface Facts {
  /** The characters that its matches have. */
  alphabet(): Alphabet;
  reach(): Reach;
  /** The length of its shortest match. */
  least(): number;
  /** The source of an expression for a match that is not complete. */
  openSource(): string;
  /** The symbols with which its matches begin; undefined if they are unknown. */
  beginnings(): readonly Beginning[] | undefined;
}
