import type { Pattern, TextSpan } from '../../guard/pattern.js';

/** The end of what a pattern has let go, over all parts and steps of a run. */
export interface Tail {
  text: string;
}

/** Of a pattern without a longest match so many characters are remembered. */
const defaultKept = 256;
const mostKept = 512;

/** Adds a text that was let go. */
export const followTail = (tail: Tail, text: string, { maxLength }: Pattern): void => {
  const kept = maxLength === 'part' ? defaultKept : Math.min(maxLength, mostKept);
  tail.text = text.length >= kept ? text.slice(text.length - kept) : (tail.text + text).slice(-kept);
};

/** A part that began behind a tail, and of which nothing has gone yet. */
interface Beginning {
  readonly before: string;
  readonly text: string;
  readonly isEnded: boolean;
}

/**
 * What of a part's beginning completes a match that began before the part: its other half has gone, so that this half must not. Nothing
 * where there is none, `undecided` where that depends on what comes.
 */
export const matchAcross = (pattern: Pattern, { before, text, isEnded }: Beginning): TextSpan | 'undecided' | undefined => {
  const joined = before + text;
  const { maxLength, lookahead = 1 } = pattern;
  const reach = maxLength === 'part' ? joined.length : maxLength + lookahead - 1;
  const openFrom = Math.max(pattern.open?.(joined, 0) ?? 0, joined.length - reach);
  if (!isEnded && openFrom < before.length) return 'undecided';
  const span = pattern.find(joined, 0).find(({ start, end }) => start < before.length && end > before.length);
  return span && { ...span, start: 0, end: span.end - before.length };
};
