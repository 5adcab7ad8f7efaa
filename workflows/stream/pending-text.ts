import type { Pattern, TextSpan } from '../../src/guard/pattern.js';

/** The end of a text that is still growing: plain data, so that it can be stored in a processor's state. */
export interface PendingText {
  /** A few released characters, which decide about the next ones, and then the buffered ones. */
  readonly text: string;
  /** The start of the buffered characters. */
  readonly from: number;
}

export const nothingPending: PendingText = { text: '', from: 0 };

/** The place-finding part of a pattern. */
type Places<Span extends TextSpan> = Omit<Pattern<Span>, 'replace'>;

/** Returns the replacement of a value. */
type Replace<Span extends TextSpan> = (value: string, span: Span) => string;

/** The releasable text, and its buffered rest. */
interface Pushed {
  readonly released: string;
  readonly held: PendingText;
}

/**
 * Adds a piece to a text. It releases text that can no longer be, or become, part of a value, with values replaced. The
 * joined output is the same however the text was cut.
 */
export const pushText = <Span extends TextSpan>(
  pending: PendingText,
  piece: string,
  { pattern, replace }: { pattern: Places<Span>; replace: Replace<Span> },
): Pushed => {
  const text = pending.text + piece;
  const until = openOf(pattern, text, pending.from);
  if (until === pending.from) return { released: '', held: { text, from: pending.from } };
  const released = editText(text, { from: pending.from, until }, { pattern, replace });
  const keepFrom = Math.max(0, until - (pattern.lookbehind ?? 1) - 1); // one more, because it may be half a character
  return { released, held: { text: text.slice(keepFrom), from: until - keepFrom } };
};

/** Releases the buffered text at the end of a text. */
export const flushText = <Span extends TextSpan>(
  { text, from }: PendingText,
  editing: { pattern: Places<Span>; replace: Replace<Span> },
): string => editText(text, { from, until: text.length }, editing);

const openOf = <Span extends TextSpan>(pattern: Places<Span>, text: string, from: number): number => {
  if (pattern.open) return pattern.open(text, from);
  if (pattern.maxLength === 'part') return from;
  return Math.max(from, text.length - pattern.maxLength - (pattern.lookahead ?? 1) + 1);
};

const editText = <Span extends TextSpan>(
  text: string,
  { from, until }: { from: number; until: number },
  { pattern, replace }: { pattern: Places<Span>; replace: Replace<Span> },
): string => {
  const edited: string[] = [];
  let at = from;
  for (const span of pattern.find(text, from, until)) {
    if (span.start >= until) break;
    edited.push(text.slice(at, span.start), replace(text.slice(span.start, span.end), span));
    at = span.end;
  }
  return edited.join('') + text.slice(at, until);
};
