import type { GuardWindow } from '../../../schemas/index.js';
import type { Pattern, TextSpan, Window } from '../../guard/pattern.js';
import { followTails, matchAcross, type Tails } from './across-parts.js';
import type { TextPart } from './chunk.js';
import { createMatcher, lookbehindOf, type Found, type Matcher } from './matcher.js';
import { append, placeOf, rawOf, takeText, type Segment } from './segment.js';
import { createWindowReader, type WindowReader } from './window-reader.js';

/** The next action for the texts that a guard buffers. */
export type Action =
  /** Call the guard with the start of a text; `match` is the pattern's match, if any. */
  | {
      readonly kind: 'judge';
      readonly lane: TextPart;
      readonly text: string;
      readonly match?: TextSpan;
      /** Its offset in the response, see `Gate.place`. */
      readonly place: number;
    }
  /** Pass on segments that need no verdict. */
  | { readonly kind: 'clear'; readonly lane: TextPart; readonly segments: readonly Segment[] }
  /** End a text. */
  | { readonly kind: 'end'; readonly lane: TextPart };

/** The texts of a step that one guard has not released. No waiting, no clock: takes deltas, ends and verdicts, returns actions. */
export interface BufferedTexts {
  add(lane: TextPart, segment: Segment): void;
  end(lane: TextPart): void;
  endStep(): void;
  /** The next action; undefined if it depends on further text. `isLate`: text has gathered while the guard was busy. */
  next(isLate: boolean): Action | undefined;
  /** The offset of the first buffered character; infinite if there is none. */
  first(): number;
  /** Takes the guard's version of the judged text. Returns the segments to pass on. */
  settle(lane: TextPart, judged: string, answer: string): readonly Segment[];
}

interface BufferedText {
  readonly lane: TextPart;
  readonly segments: Segment[];
  /** The current text of the segments, after some released text. */
  text: string;
  /** The index in the text where they start. */
  from: number;
  /** The number of released characters that a pattern looks at. */
  readonly lookbehind: number;
  /** Set for a pattern. */
  readonly matcher: Matcher | undefined;
  /** For other windows: reads the text for the next one. */
  reader: WindowReader | undefined;
  isEnded: boolean;
  /** Whether any of it was released. */
  hasBegun: boolean;
  /** Whether the guard was called since the last delta: the next delta is not part of that call. */
  isAsked: boolean;
}

const heldFrom = (lane: TextPart, pattern: Pattern | undefined): BufferedText => ({
  lane,
  segments: [],
  text: '',
  from: 0,
  lookbehind: pattern ? lookbehindOf(pattern) : 0,
  matcher: pattern && createMatcher(pattern),
  reader: undefined,
  isEnded: false,
  isAsked: false,
  hasBegun: false,
});

const grow = (held: BufferedText, segment: Segment): void => {
  if (held.isAsked) held.segments.push(segment);
  else append(held.segments, segment);
  held.isAsked = false;
  forget(held);
  held.text += segment.text;
  held.matcher?.changed();
};

/** Creates a guard's buffered texts for one step. `tails` are the guard's own in the run. */
export const createBufferedTexts = (window: Window, tails: Tails = new Map()): BufferedTexts => {
  const texts = new Map<TextPart, BufferedText>();
  const pattern = typeof window === 'object' && 'pattern' in window ? window.pattern : undefined;
  let isStepOver = false;

  const open = (lane: TextPart): BufferedText => {
    const held = heldFrom(lane, pattern);
    texts.set(lane, held);
    return held;
  };
  const heldOf = (lane: TextPart): BufferedText => texts.get(lane) ?? open(lane);

  /** Nothing is left to judge: passes on segments whose text was removed by earlier guards, and the end. */
  const rest = ({ lane, segments, isEnded }: BufferedText): Action | undefined => {
    if (segments.length > 0) return { kind: 'clear', lane, segments: segments.splice(0) };
    if (!isEnded) return undefined;
    texts.delete(lane);
    return { kind: 'end', lane };
  };
  const nextOf = (held: BufferedText, isLate: boolean): Action | undefined => {
    const { lane, text, isEnded } = held;
    if (held.from === text.length) return rest(held);
    if (held.matcher && pattern) return nextOfPattern(held, { matcher: held.matcher, pattern, tails });
    held.reader ??= createWindowReader(window as GuardWindow); // it has no matcher
    const length = held.reader({ text, isEnded, isStepOver, isLate });
    if (length === 0) return undefined;
    held.isAsked = true;
    return { kind: 'judge', lane, text: text.slice(0, length), place: placeIn(held, length, window) };
  };

  return {
    add: (lane, segment) => grow(heldOf(lane), segment),
    end: (lane) => {
      const held = heldOf(lane);
      held.isEnded = true;
      held.matcher?.changed();
    },
    endStep: () => void (isStepOver = true),
    next: (isLate) => {
      for (const held of texts.values()) {
        const action = nextOf(held, isLate);
        if (action) return action;
      }
      return undefined;
    },
    first: () => Math.min(...[...texts.values()].map(({ segments }) => segments[0]?.first ?? Infinity)),
    settle: (lane, judged, answer) => {
      const taken = take(heldOf(lane), judged.length);
      if (answer === judged) return taken;
      const [first = 0, last = first] = [taken[0]?.first, taken.at(-1)?.last];
      return [{ raw: rawOf(taken), text: answer, isEdited: true, first, last }];
    },
  };
};

interface PatternReading {
  readonly matcher: Matcher;
  readonly pattern: Pattern;
  readonly tails: Tails;
}

const nextOfPattern = (held: BufferedText, { matcher, pattern, tails }: PatternReading): Action | undefined => {
  const { kind } = held.lane;
  // Uses the current tails: when the first delta came, the guard may have been busy with the previous part.
  const across = held.hasBegun ? undefined : matchAcross(pattern, tails, { ...held, kind });
  if (across === 'undecided') return undefined;
  const found = across ? { length: across.end, match: across } : matcher.next(held);
  held.hasBegun ||= found !== undefined;
  if (found?.match) for (const name of ['', kind]) tails.delete(name);
  else if (found) followTails(tails, { kind, text: held.text.slice(held.from, held.from + found.length) }, pattern);
  return nextMatch(held, found);
};

/** The offset of text that gathered while a guard was busy is that of a guard that started with its first character. */
const placeIn = ({ segments }: BufferedText, length: number, window: Window): number =>
  placeOf(segments, window === 'chunk' ? 0 : length - 1);

const nextMatch = (held: BufferedText, found: Found | undefined): Action | undefined => {
  if (!found) return undefined;
  const { lane, text, from } = held;
  const { length, match } = found;
  if (match)
    return { kind: 'judge', lane, text: text.slice(from, from + length), match, place: placeOf(held.segments, length - 1) };
  return { kind: 'clear', lane, segments: take(held, length) };
};

/** Releases the start of a text. */
const take = (held: BufferedText, length: number): Segment[] => {
  held.reader = undefined;
  held.from += length;
  if (!held.matcher) forget(held); // a matcher's offsets are valid until the text changes
  return takeText(held.segments, length);
};

/** Removes released text only in larger pieces, because a text is copied to be read. */
const forget = (held: BufferedText): void => {
  const forgotten = held.from - held.lookbehind;
  if (forgotten < held.lookbehind) return;
  held.text = held.text.slice(forgotten);
  held.from -= forgotten;
};
