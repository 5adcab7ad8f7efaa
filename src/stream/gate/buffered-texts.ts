import type { GuardWindow } from '../../../schemas/index.js';
import type { Pattern, TextSpan, Window } from '../../guard/pattern.js';
import { followTails, matchAcross, type Tails } from './across-parts.js';
import type { TextPart } from './chunk.js';
import { createMatcher, lookbehindOf, type Found, type Matcher } from './matcher.js';
import { append, placeOf, rawOf, takeText, type Segment } from './segment.js';
import { createWindowReader, type WindowReader } from './window-reader.js';

/** What is to happen next to the texts that a guard holds. */
export type Action =
  /** Ask the guard about the beginning of a text; `match` is what a pattern's `find` said about it. */
  | {
      readonly kind: 'judge';
      readonly lane: TextPart;
      readonly text: string;
      readonly match?: TextSpan;
      /** Its place in the answer, see `Gate.place`. */
      readonly place: number;
    }
  /** Pass on what needs no question. */
  | { readonly kind: 'clear'; readonly lane: TextPart; readonly segments: readonly Segment[] }
  /** Nothing more comes of a text. */
  | { readonly kind: 'end'; readonly lane: TextPart };

/** The texts of a step as far as one guard has not let them go. No waiting, no clock: deltas, ends and answers in, actions out. */
export interface BufferedTexts {
  add(lane: TextPart, segment: Segment): void;
  end(lane: TextPart): void;
  endStep(): void;
  /** The next action; nothing where it depends on what comes. `isLate` where text has gathered while the guard was busy. */
  next(isLate: boolean): Action | undefined;
  /** The first place that is held; infinite where nothing is. */
  first(): number;
  /** The guard answered: so much of a text is judged, and reads so now. Gives what may go on. */
  settle(lane: TextPart, judged: string, answer: string): readonly Segment[];
}

interface BufferedText {
  readonly lane: TextPart;
  readonly segments: Segment[];
  /** How they read, behind some of what has gone. */
  text: string;
  /** Where they begin in the text. */
  from: number;
  /** How much of what has gone a pattern looks at. */
  readonly lookbehind: number;
  /** For a pattern. */
  readonly matcher: Matcher | undefined;
  /** For any other window: how far the text was read for the next one. */
  reader: WindowReader | undefined;
  isEnded: boolean;
  /** Whether any of it has gone. */
  hasBegun: boolean;
  /** Whether the guard was asked since the last delta: the next one is no part of that question. */
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

/** Makes what a guard with a window holds of one step. `tails` are the guard's own in the run. */
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

  /** Nothing is left to judge: what was edited away before it came here goes on, and so does the end. */
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
  // The tails of now: when its first delta came, the guard may have been busy with the part before.
  const across = held.hasBegun ? undefined : matchAcross(pattern, tails, { ...held, kind });
  if (across === 'undecided') return undefined;
  const found = across ? { length: across.end, match: across } : matcher.next(held);
  held.hasBegun ||= found !== undefined;
  if (found?.match) for (const name of ['', kind]) tails.delete(name);
  else if (found) followTails(tails, { kind, text: held.text.slice(held.from, held.from + found.length) }, pattern);
  return nextMatch(held, found);
};

/** What gathered while a guard was busy is asked about as if the guard had been there with its first character. */
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

/** Lets a beginning go. */
const take = (held: BufferedText, length: number): Segment[] => {
  held.reader = undefined;
  held.from += length;
  if (!held.matcher) forget(held); // a matcher knows places of the text until it changes
  return takeText(held.segments, length);
};

/** What has gone is not forgotten each time, for a text is copied to be read. */
const forget = (held: BufferedText): void => {
  const forgotten = held.from - held.lookbehind;
  if (forgotten < held.lookbehind) return;
  held.text = held.text.slice(forgotten);
  held.from -= forgotten;
};
