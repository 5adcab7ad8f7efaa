import type { Pattern, TextSpan } from '../../guard/pattern.js';

/**
 * The ends of the text that a pattern has released, over all parts and steps of a run: of all texts in order, and of each kind, as a
 * client reads it that hides the other.
 */
export type Tails = Map<string, string>;

/** A text of a run, and the type of its deltas. */
export interface EarlierText {
  readonly kind: 'text-delta' | 'reasoning-delta';
  readonly text: string;
}

/** The distinct tails that a text of a kind continues. */
const tailsOf = (tails: Tails, kind: string): ReadonlySet<string> => new Set([tails.get('') ?? '', tails.get(kind) ?? '']);

/** Number of remembered characters for a pattern without a longest match. */
const defaultTailChars = 256;
const maxTailChars = 512;

/** Adds a released text. */
export const followTails = (tails: Tails, { kind, text }: EarlierText, { maxLength }: Pattern): void => {
  const tailChars = maxLength === 'part' ? defaultTailChars : Math.min(maxLength, maxTailChars);
  for (const name of ['', kind])
    tails.set(
      name,
      text.length >= tailChars ? text.slice(text.length - tailChars) : ((tails.get(name) ?? '') + text).slice(-tailChars),
    );
};

/** A part after tails, of which nothing has been released yet. */
interface StartedPart {
  readonly kind: EarlierText['kind'];
  readonly text: string;
  readonly isEnded: boolean;
}

/** The ends of the texts that a text of a kind continues. */
export const textsBefore = (tails: Tails, kind: string): string[] => [...tailsOf(tails, kind)].filter(Boolean);

/**
 * The start of a part that completes a match from before the part: its first half was released, so the second must not be. Undefined if
 * there is none, `undecided` if it depends on further text.
 */
export const matchAcross = (pattern: Pattern, tails: Tails, part: StartedPart): Across => {
  const across = textsBefore(tails, part.kind).map((before) => matchBehind(pattern, before, part));
  return across.find((one) => typeof one === 'object') ?? across.find((one) => one === 'undecided');
};

type Across = TextSpan | 'undecided' | undefined;

const matchBehind = (pattern: Pattern, before: string, { text, isEnded }: StartedPart): Across => {
  const joined = before + text;
  const { maxLength, lookahead = 1 } = pattern;
  const reach = maxLength === 'part' ? joined.length : maxLength + lookahead - 1;
  const openFrom = Math.max(pattern.open?.(joined, 0) ?? 0, joined.length - reach);
  if (!isEnded && openFrom < before.length) return 'undecided';
  const span = pattern.find(joined, 0).find(({ start, end }) => start < before.length && end > before.length);
  return span && { ...span, start: 0, end: span.end - before.length };
};
