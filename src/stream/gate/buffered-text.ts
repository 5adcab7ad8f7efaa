import type { Pattern, Replacement } from '../../guard/pattern.js';
import { spansBetween } from '../../pipeline/spans.js';
import type { TextPart } from './chunk.js';
import { createMatcher, type Matcher, type Tails } from './matcher.js';
import { append, editedSegment, takeText, textOf, type Segment } from './segment.js';
import type { WindowReader } from './window-reader.js';

/** The text of one part that a guard has not released, after the end of its released text. */
export interface BufferedText {
  readonly lane: TextPart;
  /** The parts whose text it is, and whose end has not passed: with window step all parts with one id, as in the response. */
  readonly lanes: TextPart[];
  readonly segments: Segment[];
  /** The current text of the segments, after some released text. */
  text: string;
  /** The index in the text where they start. */
  from: number;
  /** The number of released characters that a pattern looks at, and its state before them. */
  readonly lookbehind: number;
  readonly stateOf: Pattern['stateOf'];
  /** Of a pattern: at least the end of the released text after its last match, and whether there was one. */
  end: string;
  isAfterMatch: boolean;
  /** Of a pattern: the ends of the texts that started after it, and ended before it. */
  readonly behind: Tails;
  /** Set for a pattern. */
  readonly matcher: Matcher | undefined;
  /** For other windows: reads the text for the next one. */
  reader: WindowReader | undefined;
  isEnded: boolean;
  /** Whether the guard was called since the last delta: the next delta is not part of that call. */
  wasJudged: boolean;
}

export const createBufferedText = (lane: TextPart, pattern: Pattern | undefined): BufferedText => ({
  lane,
  lanes: [],
  segments: [],
  text: '',
  from: 0,
  lookbehind: pattern ? (pattern.lookbehind ?? 1) : 0,
  stateOf: pattern?.stateOf,
  end: '',
  isAfterMatch: false,
  behind: new Map(),
  matcher: pattern && createMatcher(pattern),
  reader: undefined,
  isEnded: false,
  wasJudged: false,
});

/** Adds a segment. */
export const grow = (buffered: BufferedText, segment: Segment): void => {
  if (buffered.wasJudged) buffered.segments.push(segment);
  else append(buffered.segments, segment);
  buffered.wasJudged = false;
  forget(buffered);
  buffered.text += segment.text;
  buffered.matcher?.changed();
};

/** Releases the start of a text with the guard's version of it. */
export const replace = (buffered: BufferedText, judged: string, answer: string | readonly Replacement[]): Segment[] => {
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
export const take = (buffered: BufferedText, length: number): Segment[] => {
  buffered.reader = undefined;
  buffered.from += length;
  if (!buffered.matcher) forget(buffered); // a matcher's offsets are valid until the text changes
  return takeText(buffered.segments, length);
};

/** Removes released text only in larger pieces, because a text is copied to be read. */
const forget = (buffered: BufferedText): void => {
  const forgotten = buffered.from - buffered.lookbehind;
  if (forgotten < buffered.lookbehind) return;
  const state = buffered.stateOf?.(buffered.text.slice(0, forgotten)) ?? '';
  buffered.text = state + buffered.text.slice(forgotten);
  buffered.from += state.length - forgotten;
};
