import type { GuardWindow } from '../../guard/policy/guard-policy.js';
import type { Pattern, Replacement, TextSpan, Window } from '../../guard/pattern.js';
import {
  endTails,
  followTails,
  matchAcross,
  textsBefore,
  type Tails,
  createMatcher,
  lookbehindOf,
  type Found,
  type Matcher,
} from './matcher.js';
import type { TextPart } from './chunk.js';
import { spansBetween } from '../../pipeline/spans.js';
import { append, editedSegment, placeOf, takeText, textOf, type Segment } from './segment.js';
import { createWindowReader, type WindowReader } from './window-reader.js';

/** The next action for the texts that a guard buffers. */
export type Action =
  /** Call the guard with the start of a text; `match` is the pattern's match, if any. */
  | {
      readonly kind: 'judge';
      readonly lane: TextPart;
      readonly text: string;
      readonly match?: TextSpan;
      /** Set if it is a whole part, in which the guard looks for matches itself: the texts that it continues. */
      readonly before?: readonly string[];
      /** The released end of its part, if the part ended and started again. */
      readonly earlier?: string | undefined;
      /** Its offset in the response, see `Gate.place`. */
      readonly place: number;
    }
  /** Pass on segments that need no verdict. */
  | { readonly kind: 'clear'; readonly segments: readonly Segment[] }
  /** End a text. */
  | { readonly kind: 'end'; readonly lane: TextPart };

/** The texts of a step that one guard has not released. No waiting, no clock: takes deltas, ends and verdicts, returns actions. */
export interface BufferedTexts {
  add(segment: Segment): void;
  end(lane: TextPart): void;
  endStep(): void;
  /** The next action; undefined if it depends on further text. `isLate`: text has gathered while the guard was busy. */
  next(isLate: boolean): Action | undefined;
  /** The offset of the first buffered character; infinite if there is none. */
  first(): number;
  /** Takes the guard's version of the judged text: the text, or its replacements in it. Returns the segments to pass on. */
  settle(lane: TextPart, judged: string, answer: string | readonly Replacement[]): readonly Segment[];
}

interface BufferedText {
  readonly lane: TextPart;
  /** The parts whose text it is, and whose end has not passed: with window step all parts with one id, as in the response. */
  readonly lanes: TextPart[];
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
  hasReleased: boolean;
  /** Whether the guard was called since the last delta: the next delta is not part of that call. */
  wasJudged: boolean;
}

const createBufferedText = (lane: TextPart, pattern: Pattern | undefined): BufferedText => ({
  lane,
  lanes: [],
  segments: [],
  text: '',
  from: 0,
  lookbehind: pattern ? lookbehindOf(pattern) : 0,
  matcher: pattern && createMatcher(pattern),
  reader: undefined,
  isEnded: false,
  wasJudged: false,
  hasReleased: false,
});

const grow = (buffered: BufferedText, segment: Segment): void => {
  if (buffered.wasJudged) buffered.segments.push(segment);
  else append(buffered.segments, segment);
  buffered.wasJudged = false;
  forget(buffered);
  buffered.text += segment.text;
  buffered.matcher?.changed();
};

/** Creates a guard's buffered texts for one step. `tails` are the guard's own in the run. */
export const createBufferedTexts = (window: Window, tails: Tails = new Map()): BufferedTexts => {
  const nameOf = (lane: TextPart): TextPart | string => (window === 'step' ? lane.key : lane);
  const texts = new Map<TextPart | string, BufferedText>();
  const lastWindows: LastWindows = new Map();
  const pattern = typeof window === 'object' && 'pattern' in window ? window.pattern : undefined;
  let isStepOver = false;

  const bufferedOf = (lane: TextPart): BufferedText => {
    const buffered = texts.get(nameOf(lane)) ?? createBufferedText(lane, pattern);
    if (buffered.lanes.includes(lane)) return buffered;
    texts.set(nameOf(lane), buffered);
    buffered.lanes.push(lane);
    buffered.isEnded = false;
    return buffered;
  };

  /** Nothing is left to judge: passes on segments whose text was removed by earlier guards, and the end. */
  const rest = ({ lanes, segments, isEnded }: BufferedText): Action | undefined => {
    if (segments.length > 0) return { kind: 'clear', segments: segments.splice(0) };
    if (!isEnded) return undefined;
    const lane = lanes.shift() as TextPart; // without parts, the text is deleted
    if (lanes.length === 0) texts.delete(nameOf(lane));
    return { kind: 'end', lane };
  };
  const nextOf = (buffered: BufferedText, isLate: boolean): Action | undefined => {
    const { lane, text, isEnded } = buffered;
    if (buffered.from === text.length) return rest(buffered);
    if (buffered.matcher && pattern) return nextOfPattern(buffered, { matcher: buffered.matcher, pattern, tails, texts });
    buffered.reader ??= createWindowReader(window as GuardWindow); // it has no matcher
    const length = buffered.reader({ text, isEnded, isStepOver, isLate });
    if (length === 0) return undefined;
    buffered.wasJudged = true;
    const earlier = lastWindows.get(lane.key);
    return { kind: 'judge', lane, text: text.slice(0, length), earlier, place: placeIn(buffered, length, window) };
  };

  return {
    add: (segment) => grow(bufferedOf(segment.lane), segment),
    end: (lane) => {
      const buffered = bufferedOf(lane);
      buffered.isEnded = true;
      buffered.matcher?.changed();
    },
    endStep: () => void (isStepOver = true),
    next: (isLate) => {
      for (const buffered of texts.values()) {
        const action = nextOf(buffered, isLate);
        if (action) return action;
      }
      return undefined;
    },
    first: () => Math.min(...[...texts.values()].map(({ segments }) => segments[0]?.first ?? Infinity)),
    settle: (lane, judged, answer) => {
      const settled = answer === judged ? take(bufferedOf(lane), judged.length) : replace(bufferedOf(lane), judged, answer);
      if (pattern?.prepare) followTails(tails, { kind: lane.kind, text: textOf(settled) }, pattern);
      if (!pattern) keepLast(lastWindows, bufferedOf(lane), textOf(settled));
      return settled;
    },
  };
};

/** The last windows of parts that have ended, by key. If such a part starts again, the message has one text. */
type LastWindows = Map<string, string>;

const keepLast = (
  windows: LastWindows,
  { lane: { key, isNested }, isEnded, from, text }: BufferedText,
  settled: string,
): void => {
  if (isEnded && from === text.length && !isNested) windows.set(key, (windows.get(key) ?? '') + settled);
  else windows.delete(key);
};

interface PatternReading {
  readonly matcher: Matcher;
  readonly pattern: Pattern;
  readonly tails: Tails;
  /** All buffered texts in the order of their first deltas. */
  readonly texts: ReadonlyMap<unknown, BufferedText>;
}

/** The ends of the texts before a text. A part that has ended stays open for its continuation, so its end may still be buffered. */
const tailsBefore = (buffered: BufferedText, { pattern, tails, texts }: PatternReading): Tails => {
  const before: Tails = new Map(tails);
  for (const earlier of texts.values()) {
    if (earlier === buffered) break;
    const { kind, isPaused } = earlier.lane;
    if (!isPaused) continue;
    const text = earlier.text.slice(earlier.from);
    const last = pattern.find(text, 0).at(-1);
    if (last) endTails(before, kind);
    followTails(before, { kind, text: text.slice(last?.end) }, pattern);
  }
  return before;
};

/** A part for a pattern that reads it whole; undefined if it has not ended. */
const wholePart = ({ lane, text, segments, isEnded }: BufferedText, tails: Tails): Action | undefined =>
  isEnded
    ? { kind: 'judge', lane, text, before: textsBefore(tails, lane.kind), place: placeOf(segments, text.length - 1) }
    : undefined;

const nextOfPattern = (buffered: BufferedText, reading: PatternReading): Action | undefined => {
  const { matcher, pattern, tails } = reading;
  if (pattern.prepare) return wholePart(buffered, tails);
  const { kind } = buffered.lane;
  // Uses the current tails: when the first delta came, the guard may have been busy with the previous part.
  const across = buffered.hasReleased ? undefined : matchAcross(pattern, tailsBefore(buffered, reading), { ...buffered, kind });
  if (across === 'undecided') return undefined;
  const found = across ? { length: across.end, match: across } : matcher.next(buffered);
  buffered.hasReleased ||= found !== undefined;
  if (found?.match) endTails(tails, kind);
  else if (found) followTails(tails, { kind, text: buffered.text.slice(buffered.from, buffered.from + found.length) }, pattern);
  return nextMatch(buffered, found);
};

/** The offset of text that gathered while a guard was busy is that of a guard that started with its first character. */
const placeIn = ({ segments }: BufferedText, length: number, window: Window): number =>
  placeOf(segments, window === 'chunk' ? 0 : length - 1);

const nextMatch = (buffered: BufferedText, found: Found | undefined): Action | undefined => {
  if (!found) return undefined;
  const { lane, text, from } = buffered;
  const { length, match } = found;
  if (match)
    return { kind: 'judge', lane, text: text.slice(from, from + length), match, place: placeOf(buffered.segments, length - 1) };
  return { kind: 'clear', segments: take(buffered, length) };
};

/** Releases the start of a text with the guard's version of it. */
const replace = (buffered: BufferedText, judged: string, answer: string | readonly Replacement[]): Segment[] => {
  const released: Segment[] = [];
  let at = 0;
  for (const { start, end, text } of typeof answer === 'string' ? versionsOf(buffered, judged, answer) : answer) {
    released.push(...take(buffered, start - at));
    const [own, ...removed] = Map.groupBy(take(buffered, end - start), ({ lane }) => lane).values();
    if (own) released.push(editedSegment(own, text), ...removed.flat());
    at = end;
  }
  return [...released, ...take(buffered, judged.length - at)];
};

/** The guard's version of each part in a text. An edit across parts is one of the first. */
const versionsOf = ({ segments, lanes }: BufferedText, judged: string, answer: string): Replacement[] => {
  if (lanes.length === 1) return [{ start: 0, end: judged.length, text: answer }];
  const spans = spansBetween(judged, answer);
  const indexIn = (at: number): number =>
    at === judged.length
      ? answer.length
      : spans.reduce((sum, { start, end, text }) => (start < at ? sum + text.length - Math.min(end, at) + start : sum), at);
  let end = 0;
  return [...Map.groupBy(segments, ({ lane }) => lane).values()]
    .map((own) => {
      const start = end;
      end += textOf(own).length;
      return { start, end, text: answer.slice(indexIn(start), indexIn(end)) };
    })
    .filter(({ start, end: until, text }) => text !== judged.slice(start, until));
};

/** Releases the start of a text. */
const take = (buffered: BufferedText, length: number): Segment[] => {
  buffered.reader = undefined;
  buffered.from += length;
  if (!buffered.matcher) forget(buffered); // a matcher's offsets are valid until the text changes
  return takeText(buffered.segments, length);
};

/** Removes released text only in larger pieces, because a text is copied to be read. */
const forget = (buffered: BufferedText): void => {
  const forgotten = buffered.from - buffered.lookbehind;
  if (forgotten < buffered.lookbehind) return;
  buffered.text = buffered.text.slice(forgotten);
  buffered.from -= forgotten;
};
