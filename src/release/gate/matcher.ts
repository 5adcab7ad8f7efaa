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

/** Follows one pattern through one text. */
export interface Matcher {
  /** What is decided about the beginning of the text that is held; nothing where it depends on what comes. */
  next(text: string, isEnded: boolean): Found | undefined;
  /** The beginning of the held text has gone: some of it stays known, because a match may look behind itself. */
  move(gone: string): void;
}

/** Makes a matcher for one text. */
export const createMatcher = (pattern: Pattern): Matcher => {
  const { maxLength, lookbehind = 1, lookahead = 1 } = pattern;
  const reach = maxLength === 'part' ? Infinity : maxLength + lookahead - 1;
  let before = '';

  /** Where it begins to matter what comes; from 0, the beginning of what is held. */
  const undecidedFrom = (text: string, context: string): number => {
    const open = pattern.open ? pattern.open(context, before.length) - before.length : 0;
    return Math.max(open, text.length - reach, 0);
  };

  return {
    next: (text, isEnded) => {
      const context = before + text;
      const limit = isEnded ? text.length : Math.min(text.length, undecidedFrom(text, context));
      if (limit === 0) return undefined;
      const [span] = pattern.find(context, before.length);
      const start = span ? span.start - before.length : limit;
      if (span && start === 0) return { length: lengthOf(span), match: span };
      const length = start < limit ? start : graphemeFloor(text, limit, !isEnded);
      return length > 0 ? { length } : undefined;
    },
    move: (gone) => {
      before = lookbehind > 0 ? (before + gone).slice(-lookbehind) : '';
    },
  };
};

const lengthOf = ({ start, end }: TextSpan): number => {
  if (end > start) return end - start;
  throw new InterlockError('phase/invalid-result', { path: 'pattern.find', detail: `it found a match from ${start} to ${end}.` });
};
