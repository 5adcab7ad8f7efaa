import { InterlockError } from '../../errors.js';
import type { Pattern, TextSpan } from '../../guard/pattern.js';
import { graphemeFloor } from './grapheme.js';

/** What a pattern has decided about the beginning of a text. */
export interface Found {
  /** So many characters may go: free of matches, or one match. */
  readonly length: number;
  /** What `find` said about the match. */
  readonly match?: TextSpan;
}

/** A text that is held from a place on; what stands before it has gone, and a match may look at it. */
export interface TextFrom {
  readonly text: string;
  readonly from: number;
  readonly isEnded: boolean;
}

/** What a pattern has decided about the beginning of the text that is held; nothing where it depends on what comes. */
export type Matcher = (held: TextFrom) => Found | undefined;

/** Makes a matcher of a pattern. */
export const createMatcher = (pattern: Pattern): Matcher => {
  const { maxLength, lookahead = 1 } = pattern;
  const reach = maxLength === 'part' ? Infinity : maxLength + lookahead - 1;

  /** Where it begins to matter what comes. */
  const undecidedFrom = (text: string, from: number): number =>
    Math.min(text.length, Math.max(from, pattern.open?.(text, from) ?? from, text.length - reach));

  return ({ text, from, isEnded }) => {
    const limit = isEnded ? text.length : undecidedFrom(text, from);
    if (limit === from) return undefined;
    const [span] = pattern.find(text, from);
    const start = span?.start ?? limit;
    if (span && start === from) return { length: lengthOf(span), match: span };
    const length = start < limit ? start - from : graphemeFloor(text.slice(from), limit - from, !isEnded);
    return length > 0 ? { length } : undefined;
  };
};

/** How many characters that have gone a pattern looks at. */
export const lookbehindOf = ({ lookbehind = 1 }: Pattern): number => lookbehind;

const lengthOf = ({ start, end }: TextSpan): number => {
  if (end > start) return end - start;
  throw new InterlockError('phase/invalid-result', { path: 'pattern.find', detail: `it found a match from ${start} to ${end}.` });
};
