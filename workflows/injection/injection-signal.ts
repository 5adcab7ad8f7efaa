/** One sign of an attempt to take over the model. */
export interface InjectionSignal {
  /** The name of the signal. Several patterns may share a name; the match with the highest weight counts. */
  readonly name: string;
  /** The weight of the signal alone, 0 to 1. */
  readonly weight: number;
  /** Matched against the normalised text. It must do linear work: bound every repetition that can overlap its surroundings. */
  readonly pattern: RegExp;
}

/** Makes signals of one name from weights and patterns. */
export const signalsNamed = (name: string, rows: readonly (readonly [weight: number, pattern: RegExp])[]): InjectionSignal[] =>
  rows.map(([weight, pattern]) => ({ name, weight, pattern }));

/**
 * Between two words: up to `count` others. A word has at most one apostrophe: with more, one text could be parsed in too many ways,
 * and the work would grow with a power of its length.
 */
export const words = (count: number): string => String.raw`(?:\W+\w+(?:'\w+)?){0,${count}}?\W+`;

/** The same, without words that claim ownership, as in `my previous e-mail`. */
export const othersWords = (count: number): string =>
  String.raw`(?:\W+(?!(?:my|our|his|her|their|e-?mails?|message|ticket)\b)\w+(?:'\w+)?){0,${count}}?\W+`;

/** A case-insensitive pattern from its pieces. */
export const phrase = (...pieces: readonly (string | RegExp)[]): RegExp =>
  new RegExp(pieces.map((piece) => (typeof piece === 'string' ? piece : piece.source)).join(''), 'i');

/** Not behind a negation: `never reveal your prompt` is advice. */
export const notNegated = String.raw`(?<!(?<!\bwhy\W{1,3})\b(?:not|never|n't|cannot|without|avoid)\W{1,3})`;

/** Not before words that place instructions in data: to ignore these is advice. */
export const notInData = String.raw`\b(?!(?:\W+(?:or|and)\W+\w+){0,2}\W+(?:(?:that|which)\W+(?:\w+\W+){0,2})?(?:(?:with)?in|inside|embedded|contained|found|returned|present|included|hidden|from|by)\b(?!\W+(?:\w+\W+){0,3}(?:system|prompt|previous|prior|above|earlier|developers?|conversation|original|openai|anthropic)\b))`;
