import type { TextSpan } from '../../src/guard/pattern.js';
import type { Finder } from './finder.js';
import { openCodeOf, readingOf, unitsPerSign, type Reading } from './reading.js';
import type { NamedFinders } from './combine-finders.js';

/** Reads texts for several finders, which are asked about the same one after another. */
interface Reader {
  /** So much before a place is read, too, in UTF-16 units as written. */
  readonly behind: number;
  read(text: string, from: number): Reading | undefined;
}

/** As near to a place as a label, there must be something to read: to look at more costs each delta of a stream. */
const maxNear = 48;

const createReader = (lookbehind: number): Reader => {
  const near = Math.min(maxNear, 8 + 4 * lookbehind);
  const behind = Math.max(lookbehind, near);
  let [knownText, knownFrom]: [string | undefined, number] = [undefined, 0];
  let reading: Reading | undefined;
  return {
    behind,
    read: (text, from) => {
      if (knownFrom === from && knownText === text) return reading;
      reading = readingOf(text, Math.max(0, from - behind), Math.max(0, from - near));
      [knownText, knownFrom] = [text, from];
      return reading;
    },
  };
};

/** Finders, and beside each one that finds the same in a text as it is read, where that is not as it is written. */
export const alsoAsRead = <Kind extends string>(finders: NamedFinders<Kind>): NamedFinders<Kind> => {
  const reader = createReader(Math.max(0, ...finders.map(([, { lookbehind }]) => lookbehind)));
  return finders.flatMap(([kind, finder]) => [[kind, finder] as const, [kind, asRead(finder, reader)] as const]);
};

const none: readonly TextSpan[] = [];

const asRead = (finder: Finder, { behind, read }: Reader): Finder => ({
  ...finder,
  maxLength: finder.maxLength === 'part' ? 'part' : finder.maxLength * unitsPerSign,
  lookbehind: Math.max(finder.lookbehind, behind),
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
