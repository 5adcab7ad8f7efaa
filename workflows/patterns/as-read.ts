import type { TextSpan } from '../../src/guard/pattern.js';
import type { Finder } from './finder.js';
import { openCodeOf, readingOf, unitsBefore, unitsPerSign, type Reading } from './reading.js';

/** Reads texts for several finders, which are asked about the same one after another. */
export type Read = (text: string, from: number) => Reading | undefined;

/** Reads a text once for all who ask about it. */
export const createRead = (): Read => {
  let [knownText, knownFrom]: [string | undefined, number] = [undefined, 0];
  let reading: Reading | undefined;
  return (text, from) => {
    if (knownFrom === from && knownText === text) return reading;
    reading = readingOf(text, from);
    [knownText, knownFrom] = [text, from];
    return reading;
  };
};

const none: readonly TextSpan[] = [];

/** Finds what the other does in a text as it is read, where that is not as it is written. */
export const asRead = (finder: Finder, read: Read): Finder => ({
  ...finder,
  maxLength: finder.maxLength === 'part' ? 'part' : finder.maxLength * unitsPerSign,
  lookbehind: Math.max(finder.lookbehind, unitsBefore),
  lookahead: finder.lookahead * unitsPerSign,
  find: (text, from) => {
    const reading = read(text, from);
    return reading ? finder.find(reading.text, unitAt(reading, from)).map((span) => spanIn(reading, span)) : none;
  },
  open: (text, from) => {
    const code = openCodeOf(text);
    const known = code === text.length ? text : text.slice(0, code);
    const reading = read(known, from);
    if (!reading) return code === text.length ? code : Math.min(code, finder.open(known, from));
    return reading.starts[finder.open(reading.text, unitAt(reading, from))] ?? code;
  },
});

/** The first unit of a reading that stands for something from a place on. */
const unitAt = ({ starts }: Reading, from: number): number => {
  const unit = starts.findIndex((start) => start >= from);
  return unit < 0 ? starts.length : unit;
};

const spanIn = ({ starts, ends }: Reading, { start, end }: TextSpan): TextSpan => ({
  start: starts[start] as number, // a match has a unit
  end: ends[end - 1] as number,
});
