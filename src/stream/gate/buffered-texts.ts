import type { GuardWindow } from '../../guard/policy/guard-policy.js';
import { endForPattern, type Pattern, type Replacement, type TextSpan, type Window } from '../../guard/pattern.js';
import type { TextPart } from './chunk.js';
import { followTails, keptChars, matchAcross, tailsOf, createMatcher, type Tails } from './matcher.js';
import { placeOf, textOf, append, editedSegment, takeText, type Segment } from './segment.js';
import { createWindowReader, type WindowReader } from './window-reader.js';
import { spansBetween } from '../../pipeline/spans.js';
import { computed } from '../../phase/plain-data.js';

const createBufferedText = (lane: TextPart, pattern: Pattern | undefined) => {
  const [lanes, segments, behind]: [TextPart[], Segment[], Tails] = [[], [], new Map()];
  return {
    lane,
    /** The parts whose text it is, and whose end has not passed: with window step all parts with one id, as in the response. */
    lanes,
    segments,
    /** The current text of the segments, after some released text. */
    text: '',
    /** The index in the text where they start. */
    from: 0,
    pattern,
    /** Of a pattern: at least the end of the released text after its last match, and whether there was one. */
    end: '',
    isAfterMatch: false,
    /** Of a pattern: the last match, if nothing was released after it. */
    match: undefined as TextSpan | undefined,
    /** Of a pattern: the whole text up to its first match. */
    whole: '',
    /** Of a pattern: the ends of the texts that started after it, and ended before it. */
    behind,
    matcher: pattern && createMatcher(pattern),
    /** For other windows: reads the text for the next one. */
    reader: undefined as WindowReader | undefined,
    isEnded: false,
    /** Whether the guard was called since the last delta: the next delta is not part of that call. */
    wasJudged: false,
  };
};

/** The text of one part that a guard has not released, after the end of its released text. */
type BufferedText = ReturnType<typeof createBufferedText>;

/** Adds a segment. */
const grow = (buffered: BufferedText, segment: Segment): void => {
  if (buffered.wasJudged) buffered.segments.push(segment);
  else append(buffered.segments, segment);
  buffered.wasJudged = false;
  forget(buffered);
  buffered.text += segment.text;
  if (buffered.pattern?.passed && !buffered.isAfterMatch) buffered.whole += segment.text;
  buffered.matcher?.changed();
};

/** Releases the start of a text with the guard's version of it. */
const replace = (buffered: BufferedText, judged: string, answer: string | readonly Replacement[]): Segment[] => {
  if (typeof answer === 'object') [buffered.end, buffered.isAfterMatch] = [judged.slice(answer.at(-1)?.end), true];
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
  const lookbehind = buffered.pattern ? (buffered.pattern.lookbehind ?? 1) : 0; // the released characters that it looks at
  const forgotten = buffered.from - lookbehind;
  if (forgotten < lookbehind) return;
  const state = buffered.pattern?.stateOf?.(buffered.text.slice(0, forgotten)) ?? '';
  buffered.text = state + buffered.text.slice(forgotten);
  buffered.from += state.length - forgotten;
};

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
  /** End a text; `passed` is the whole text if a pattern had no match in it. */
  | { readonly kind: 'end'; readonly lane: TextPart; readonly passed: string | undefined };

/** Creates a guard's buffered texts for one step. `tails` are the guard's own in the run. */
export const createBufferedTexts = (window: Window, tails: Tails = new Map()) => {
  const nameOf = (lane: TextPart): TextPart | string => (window === 'step' ? lane.key : lane);
  const texts = new Map<TextPart | string, BufferedText>();
  const lastWindows: LastWindows = new Map();
  const pattern = typeof window === 'object' && 'pattern' in window ? window.pattern : undefined;
  let isStepOver = false;

  const bufferedOf = (lane: TextPart): BufferedText => {
    const buffered = computed(texts, nameOf(lane), () => createBufferedText(lane, pattern));
    if (buffered.lanes.includes(lane)) return buffered;
    buffered.lanes.push(lane);
    return Object.assign(buffered, { isEnded: false });
  };

  /** Removes an ended text. Texts count in the order in which they started: its end follows those of the texts before it. */
  const remove = (ended: BufferedText): void => {
    const open = [...texts.values()];
    texts.delete(nameOf(ended.lane));
    if (!pattern) return;
    const earlier = open[open.indexOf(ended) - 1]?.behind ?? tails;
    for (const later of [endOf(ended, pattern), ended.behind]) followTails(earlier, later, pattern);
  };
  const nextOf = (buffered: BufferedText, isLate: boolean): Action | undefined => {
    const { text, from, lanes, segments, isEnded, matcher } = buffered;
    if (from < text.length && matcher && pattern) return nextOfPattern(buffered, { matcher, pattern, tails, texts });
    if (from < text.length) return nextWindow(buffered, { window: window as GuardWindow, lastWindows, isStepOver, isLate });
    // Nothing is left to judge: passes on segments whose text was removed by earlier guards, and the end.
    if (segments.length > 0) return { kind: 'clear', segments: segments.splice(0) };
    const lane = isEnded ? lanes.shift() : undefined;
    if (lanes.length === 0) remove(buffered);
    return lane && { kind: 'end', lane, passed: buffered.isAfterMatch ? undefined : buffered.whole };
  };

  return {
    add: (segment: Segment) => grow(bufferedOf(segment.lane), segment),
    end: (lane: TextPart) => {
      const buffered = bufferedOf(lane);
      buffered.isEnded = true;
      buffered.matcher?.changed();
    },
    endStep: () => void (isStepOver = true),
    /** The next action; undefined if it depends on further text. `isLate`: text has gathered while the guard was busy. */
    next: (isLate: boolean): Action | undefined => {
      for (const buffered of texts.values()) {
        const action = nextOf(buffered, isLate);
        if (action) return action;
      }
      return undefined;
    },
    /** The offset of the first buffered character; infinite if there is none. */
    first: () => Math.min(...[...texts.values()].map(({ segments }) => segments[0]?.first ?? Infinity)),
    /** Takes the guard's version of the judged text: the text, or its replacements in it. Returns the segments to pass on. */
    settle: (lane: TextPart, judged: string, answer: string | readonly Replacement[]): readonly Segment[] => {
      const buffered = bufferedOf(lane);
      const settled = answer === judged ? take(buffered, judged.length) : replace(buffered, judged, answer);
      if (!pattern) keepLast(lastWindows, buffered, textOf(settled));
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

interface WindowReading {
  readonly window: GuardWindow;
  readonly lastWindows: LastWindows;
  readonly isStepOver: boolean;
  readonly isLate: boolean;
}

const nextWindow = (buffered: BufferedText, { window, lastWindows, ...state }: WindowReading): Action | undefined => {
  const { lane, text, segments, isEnded } = buffered;
  buffered.reader ??= createWindowReader(window);
  const length = buffered.reader({ text, isEnded, ...state });
  if (length === 0) return undefined;
  buffered.wasJudged = true;
  // The offset of text that gathered while a guard was busy is that of a guard that started with its first character.
  const place = placeOf(segments, window === 'chunk' ? 0 : length - 1);
  return { kind: 'judge', lane, text: text.slice(0, length), earlier: lastWindows.get(lane.key), place };
};

interface PatternReading {
  readonly matcher: ReturnType<typeof createMatcher>;
  readonly pattern: Pattern;
  readonly tails: Tails;
  /** All buffered texts in the order of their first deltas. */
  readonly texts: ReadonlyMap<unknown, BufferedText>;
}

/** The ends of the texts that a text continues: those that have ended, in the order in which they started. */
const tailsBefore = (buffered: BufferedText, { pattern, tails, texts }: PatternReading): Tails => {
  const before: Tails = new Map(tails);
  for (const earlier of texts.values()) {
    if (earlier === buffered) break;
    if (earlier.lane.isPaused) followTails(before, endOf(earlier, pattern), pattern);
    followTails(before, earlier.behind, pattern);
  }
  return before;
};

/** A text's end after its last match, released or not. */
const endOf = ({ lane: { kind }, text, from, end, isAfterMatch }: BufferedText, pattern: Pattern): Tails => {
  const last = from < text.length && !pattern.prepare ? pattern.find(text, from).at(-1)?.end : undefined;
  if (last !== undefined) return tailsOf({ kind, text: text.slice(last), isAfterMatch: true }, pattern);
  return tailsOf({ kind, text: end + text.slice(from), isAfterMatch }, pattern);
};

/** Adds released text to the end of its part, which is cut now and then. */
const follow = (buffered: BufferedText, released: string, pattern: Pattern): void => {
  const kept = keptChars(pattern);
  buffered.end += released;
  if (buffered.end.length > 4 * kept) buffered.end = endForPattern(buffered.end, kept, pattern);
};

const nextOfPattern = (buffered: BufferedText, reading: PatternReading): Action | undefined => {
  const { matcher, pattern } = reading;
  const { lane, text, from, isEnded, segments } = buffered;
  const isWhole = pattern.prepare !== undefined; // it reads a part whole, and looks for matches itself
  if (isWhole && !isEnded) return undefined;
  const isStart = buffered.end === '' && !buffered.isAfterMatch;
  const before = isStart ? textsBefore(tailsBefore(buffered, reading), lane.kind) : [];
  if (isWhole) buffered.end = text; // unless the guard replaces a match
  if (isWhole) return { kind: 'judge', lane, text, before, place: placeOf(segments, text.length - 1) };
  const across = matchAcross(pattern, before, buffered);
  if (across === 'undecided') return undefined;
  const found = across ? { length: across.end, match: across } : matcher.next(buffered);
  if (!found) return undefined;
  const { length, match } = found;
  buffered.match = match;
  if (!match) follow(buffered, text.slice(from, from + length), pattern);
  if (!match) return { kind: 'clear', segments: take(buffered, length) };
  [buffered.end, buffered.isAfterMatch] = ['', true];
  return { kind: 'judge', lane, text: text.slice(from, from + length), match, place: placeOf(segments, length - 1) };
};

/** The ends of the texts that a text of a kind continues. */
const textsBefore = (tails: Tails, kind: string): string[] =>
  [...new Set([tails.get('')?.text, tails.get(kind)?.text])].flatMap((text) => (text ? [text] : []));
