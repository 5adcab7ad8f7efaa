import { InterlockError } from '../../errors.js';
import { stepChars } from '../../guard/in-steps.js';
import { endForPattern, type Pattern, type TextSpan } from '../../guard/pattern.js';
import { graphemeFloor } from './window-reader.js';

/** A pattern's decision about the start of a text. */
interface Found {
  /** The number of characters to release: free of matches, or one match. */
  readonly length: number;
  /** The match, as `find` returned it. */
  readonly match?: TextSpan;
}

/** A text that is buffered from an index on. The text before it has been emitted, and a match may look behind at it. */
interface TextFrom {
  readonly text: string;
  readonly from: number;
  readonly isEnded: boolean;
  /** The last match, if nothing was released after it. */
  readonly match?: TextSpan | undefined;
}

/** A longer buffered text is not searched again for each character that comes. */
const longChars = 1024;
/** It is searched again after it has grown by its length divided by this. */
const growthDivisor = 8;

/** A long text is read as if it came in pieces, because the end of what was read is examined at once. */
const pieceChars = 2 * stepChars;

/** Creates the matcher of a pattern for one text, each section of which is read once. */
export const createMatcher = (pattern: Pattern) => {
  const matcher = createPieceMatcher(pattern);
  const ends = pattern.isStepwise ? (from: number, size: number) => from + Math.max(pieceChars, 2 * size) : () => Infinity;
  /** The end of the current piece. */
  let end = 0;
  return {
    /** The text has grown, ended, or starts elsewhere. */
    changed: (): void => {
      end = 0;
      matcher.changed();
    },
    /** The decision about the start of the buffered text; undefined if it depends on further text. */
    next: (buffered: TextFrom): Found | undefined => {
      const { text, from } = buffered;
      if (end === 0 && matcher.isTooSoon(buffered)) return undefined;
      const rest = restOf(pattern, buffered);
      if (rest) matcher.released(); // it reads on after the rest
      if (rest) return { length: rest.end - from, match: rest };
      for (end ||= ends(from, 0); end < text.length; end = ends(from, end - from)) {
        const found = matcher.next({ text: text.slice(0, end), from, isEnded: false });
        if (found) return found;
        matcher.changed();
      }
      return matcher.next(buffered);
    },
  };
};

/** The most characters that decide about a match from its start on. */
const reachOf = ({ maxLength, lookahead = 1 }: Pattern): number => (maxLength === 'part' ? Infinity : maxLength + lookahead - 1);

/** The first place where a match may begin that depends on further text. */
const openFrom = (pattern: Pattern, text: string, from: number): number =>
  Math.min(text.length, Math.max(from, pattern.open?.(text, from) ?? from, text.length - reachOf(pattern)));

/** The rest of the last match, up to where another one may begin. */
const restOf = (pattern: Pattern, { text, from, isEnded, match }: TextFrom): TextSpan | undefined => {
  const rest = match && pattern.rest?.(text, from, match);
  if (!rest || isEnded) return rest;
  const end = Math.min(rest.end, openFrom(pattern, text, from));
  return end > from ? { ...rest, end } : undefined;
};

/** `isTooSoon`: the text has hardly grown since the last search without a result. `released`: text was released without a search. */
const createPieceMatcher = (pattern: Pattern) => {
  const { isStepwise = false } = pattern;
  const reach = reachOf(pattern);
  let spans: readonly TextSpan[] = [];
  /** The index of the next span. */
  let index = 0;
  let isStale = true;
  /** Matches are known up to `read`, and may be searched up to `decided`. */
  let [read, decided] = [0, 0];
  let isOpenChecked = false;
  /** The buffered text at the last search without a result. */
  let waiting = 0;

  const restart = ({ text, from, isEnded }: TextFrom): void => {
    [spans, index, isStale] = [[], 0, false];
    read = from;
    decided = isEnded ? text.length : Math.max(from, text.length - reach);
    isOpenChecked = isEnded;
  };
  /** Searches further, unless the result depends on further text. */
  const readOn = ({ text, from }: TextFrom): boolean => {
    if (read >= decided && !isOpenChecked) {
      decided = openFrom(pattern, text, from);
      isOpenChecked = true;
    }
    if (read >= decided) return false;
    const until = isStepwise ? Math.min(decided, read + stepChars) : decided;
    const found = isStepwise ? pattern.find(text, read, until) : pattern.find(text, read);
    spans = isStepwise ? found : found.filter(({ start }) => start < decided);
    index = 0;
    read = Math.max(until, spans.at(-1)?.end ?? 0);
    return true;
  };
  const nextSpan = (from: number): TextSpan | undefined => {
    while (index < spans.length && (spans[index] as TextSpan).start < from) index += 1; // as the condition says
    return spans[index];
  };

  return {
    changed: () => void (isStale = true),
    isTooSoon: (buffered: TextFrom): boolean => isStale && isTooSoon(buffered, waiting),
    released: () => void ([isStale, waiting] = [true, 0]),
    next: (buffered: TextFrom): Found | undefined => {
      const { text, from, isEnded } = buffered;
      if (isStale) restart(buffered);
      waiting = 0;
      for (;;) {
        const span = nextSpan(from);
        if (span?.start === from) return { length: lengthOf(span), match: span };
        if (span) return { length: span.start - from };
        const known = Math.min(read, decided);
        const length = known > from ? graphemeFloor(text.slice(from), known - from, !isEnded) : 0;
        if (length > 0 && known - from >= stepChars) return { length };
        if (readOn(buffered)) continue;
        waiting = text.length - from - length;
        return length > 0 ? { length } : undefined;
      }
    },
  };
};

/** Whether a long buffered text has hardly grown since the last search without a result. */
const isTooSoon = ({ text, from, isEnded }: TextFrom, waiting: number): boolean =>
  !isEnded && waiting > longChars && text.length - from < waiting + waiting / growthDivisor;

const lengthOf = ({ start, end }: TextSpan): number => {
  if (end > start) return end - start;
  throw new InterlockError('phase/invalid-result', { path: 'pattern.find', detail: `it found a match from ${start} to ${end}.` });
};

/** The end of one or more texts. */
interface TextEnd {
  readonly text: string;
  /** Whether a match was before it: no value continues from earlier texts. */
  readonly isAfterMatch?: boolean | undefined;
}

/** A text of a run, and the type of its deltas. */
export interface EarlierText extends TextEnd {
  readonly kind: 'text-delta' | 'reasoning-delta';
}

/**
 * The ends of the texts that a pattern has judged, over all parts and steps of a run: of all texts in order, and of each kind, as a
 * client reads it that hides the other.
 */
export type Tails = Map<string, TextEnd>;

/** The number of characters of a text's end that are kept for the next text; fewer than a pattern without a longest match may match. */
export const keptChars = ({ maxLength }: Pattern): number =>
  maxLength === 'part' ? defaultKeptChars : Math.min(maxLength, maxKeptChars);
const defaultKeptChars = 256;
const maxKeptChars = 512;

/** The ends of one text. */
export const tailsOf = ({ kind, text, isAfterMatch }: EarlierText, pattern: Pattern): Tails => {
  const end = { text: endForPattern(text, keptChars(pattern), pattern), isAfterMatch };
  return new Map(['', kind].map((name) => [name, end]));
};

/** Adds the ends of later texts. */
export const followTails = (tails: Tails, later: Tails, pattern: Pattern): void => {
  for (const [name, end] of later) {
    const { text, isAfterMatch } = tails.get(name) ?? { text: '' };
    tails.set(name, end.isAfterMatch ? end : { text: endForPattern(text + end.text, keptChars(pattern), pattern), isAfterMatch });
  }
};

/**
 * The start of a part that completes a match from before the part: its first half was released, so the second must not be. Undefined if
 * there is none, `undecided` if it depends on further text.
 */
export const matchAcross = (pattern: Pattern, before: readonly string[], part: Omit<TextFrom, 'from'>): Across => {
  const across = before.map((text) => matchBehind(pattern, text, part));
  return across.find((one) => typeof one === 'object') ?? across.find((one) => one === 'undecided');
};

type Across = TextSpan | 'undecided' | undefined;

const matchBehind = (pattern: Pattern, before: string, { text, isEnded }: Omit<TextFrom, 'from'>): Across => {
  const joined = before + text;
  if (!isEnded && openFrom(pattern, joined, 0) < before.length) return 'undecided';
  const span = pattern.find(joined, 0).find(({ start, end }) => start < before.length && end > before.length);
  return span && { ...span, start: 0, end: span.end - before.length };
};
