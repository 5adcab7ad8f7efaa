import type { ChunkType } from '@mastra/core/stream';
import type { TextSpan } from '../text/text-span.js';

/** How much of the text that has left is kept per text id, in UTF-16 units. */
export const tailChars = 64;
/** The most that is kept where the last word is longer than the tail: an e-mail address may be. */
const maxTailChars = 320;

/** How much may stand after a value that can still grow, such as the dot before the next part of a domain. */
const openChars = 3;
const openCharsOf = (judge: { mayBecomeAllowed?: unknown }): number => (judge.mayBecomeAllowed ? openChars : 0);

/** Judges what stands in a streamed text. */
export interface TailJudge<Span extends TextSpan> {
  /** The values in a text, sorted. */
  find(text: string): Span[];
  /** Whether a value is fine as it is. Default: none is. */
  isAllowed?(value: string): boolean;
  /** Whether more text could make an allowed value of what the text ends with; it is judged again when the text goes on or ends. */
  mayBecomeAllowed?(end: string): boolean;
}

type Tails = Record<string, string>;

/**
 * Reads one chunk of a stream and returns the values that it completes, joined with the last {@link tailChars} characters of the
 * same text, so that a value cut over several deltas is found when its last piece comes. What is kept lives in `state`,
 * per text id, and is dropped when the text or the step ends.
 */
export const readTail = <Span extends TextSpan>(
  state: Record<string, unknown>,
  part: ChunkType,
  judge: TailJudge<Span>,
): Span[] => {
  const tails = tailsOf(state);
  if (part.type === 'text-delta') return readDelta(tails, part.payload, judge);
  if (part.type === 'text-end') return closeTails(tails, [part.payload.id], judge);
  if (part.type === 'step-finish' || part.type === 'finish') return closeTails(tails, Object.keys(tails), judge);
  if (part.type === 'text-start') delete tails[part.payload.id];
  if (part.type === 'step-start') state[stateKey] = {}; // what another attempt left behind
  return [];
};

const stateKey = 'textTails';

const tailsOf = (state: Record<string, unknown>): Tails => (state[stateKey] ??= {}) as Tails; // only this file writes it

const readDelta = <Span extends TextSpan>(tails: Tails, delta: { id: string; text: string }, judge: TailJudge<Span>): Span[] => {
  const tail = tails[delta.id] ?? '';
  const text = tail + delta.text;
  tails[delta.id] = text.slice(startOfTail(text));
  return judge.find(text).filter((span) => {
    if (span.end < tail.length - openCharsOf(judge)) return false; // judged before, with more of the text before it
    if (judge.isAllowed?.(text.slice(span.start, span.end))) return false;
    return span.end < text.length - openCharsOf(judge) || !judge.mayBecomeAllowed?.(text.slice(span.start));
  });
};

/** What was left open at the end of a text is judged as it stands. */
const closeTails = <Span extends TextSpan>(tails: Tails, ids: readonly string[], judge: TailJudge<Span>): Span[] =>
  ids.flatMap((id) => {
    const tail = tails[id] ?? '';
    delete tails[id];
    return judge
      .find(tail)
      .filter(({ start, end }) => end >= tail.length - openCharsOf(judge) && !judge.isAllowed?.(tail.slice(start, end)));
  });

/** Never inside a word that is still to be judged, whose rest would be judged as another value, nor inside a code point. */
const startOfTail = (text: string): number => {
  const lastWord = /\S*[\s\S]{0,3}$/.exec(text.slice(-maxTailChars))?.[0].length ?? 0;
  const from = Math.max(0, text.length - Math.max(tailChars, lastWord));
  return /^[\uDC00-\uDFFF]/.test(text.slice(from, from + 1)) ? from + 1 : from;
};
