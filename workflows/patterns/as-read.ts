import { stepChars } from '../../src/guard/in-steps.js';
import type { TextSpan } from '../../src/guard/pattern.js';
import type { Finder } from './define-finder.js';
import { createReader, differingFrom, openCodeOf, unitsPerSign, type Reader } from './reading.js';
import type { NamedFinders } from './combine-finders.js';

interface Place {
  readonly from: number;
  /** The end of the range for values' starts. */
  readonly until: number;
  /** The number of units after `until` that decide about these values. */
  readonly ahead: number;
}

/** Only differences this near to a place are read, about a label's length: more would cost time in each delta of a stream. */
const maxNear = 48;
/** Only values with a distinctive beginning, such as keys in PEM form, are longer. */
const nearAhead = 8_192;
/** A longer reading is started again, so that its text is not copied too often. */
const maxReadChars = 262_144;

/** Reads texts for several finders that search the same one in turn. */
type SharedReader = ReturnType<typeof createSharedReader>;

const createSharedReader = (lookbehind: number) => {
  const near = Math.min(maxNear, 8 + 4 * lookbehind);
  const behind = Math.max(lookbehind, near);
  let [knownText, base]: [string | undefined, number] = [undefined, 0];
  let reader: Reader = createReader('', 0);
  const readerOf = (text: string, from: number): Reader => {
    const first = Math.max(0, from - behind);
    if (base > first || first - base > maxReadChars || knownText !== text) {
      reader = createReader(text, first);
      [knownText, base] = [text, first];
    }
    return reader;
  };
  /** From `plain` to `other` the text has only its own reading. Both grow, so that each place is checked once. */
  let [plain, other, isFound] = [0, 0, false];
  let plainText = '';
  const isPlain = (text: string, first: number, last: number): boolean => {
    if (plainText !== text || first > other) [plainText, plain, other, isFound] = [text, first, first, false];
    if (last > other && !isFound) {
      const scope = text.slice(0, last + stepChars);
      other = differingFrom(scope, other);
      isFound = other < scope.length;
    }
    return first >= plain && last <= other;
  };
  let [endedText, code] = ['', 0];
  return {
    /** The length of text before a place that is read too, in original UTF-16 units. */
    behind,
    /** Whether a section, and the text shortly before it, have only their own reading. */
    isPlain: (text: string, from: number, until: number) => isPlain(text, Math.max(0, from - near), Math.min(text.length, until)),
    /** The start of an unfinished code at the end of a text; the text's length if there is none. */
    openCodeOf: (text: string) => {
      if (endedText !== text) [endedText, code] = [text, openCodeOf(text)];
      return code;
    },
    /**
     * The reading of a text around a place, as far as a finder may look that starts before `until`; undefined if it equals the original.
     * It is read far ahead only if a value before `until` is still open.
     */
    read: (text: string, { from, until, ahead }: Place, isOpen: (text: string, from: number, until: number) => boolean) => {
      const isPlainUpTo = (end: number) => isPlain(text, Math.max(0, from - near), Math.min(text.length, end));
      const end = until + Math.min(ahead, nearAhead);
      const mayGoOn = () => end < Math.min(text.length, until + ahead) && isOpen(text.slice(0, end), from, until);
      if (isPlainUpTo(end) && (!mayGoOn() || isPlainUpTo(until + ahead))) return undefined;
      const { reading, readUntil } = readerOf(text, from);
      readUntil(until, Math.min(ahead, nearAhead));
      if (ahead > nearAhead && isOpen(reading.text, reading.unitAt(from), reading.unitAt(until))) readUntil(until, ahead);
      const unit = reading.unitAt(until) + ahead;
      const last = unit < reading.length ? reading.startOf(unit) : text.length;
      return reading.differs(Math.max(0, from - near), last) ? reading : undefined;
    },
  };
};

/** Each finder, paired with one that searches the normalized reading of the text, if that differs from the original. */
export const alsoAsRead = <Kind extends string>(finders: NamedFinders<Kind>): NamedFinders<Kind> => {
  const reader = createSharedReader(Math.max(0, ...finders.map(([, { lookbehind }]) => lookbehind)));
  return finders.flatMap(([kind, finder]) => [[kind, finder] as const, [kind, asRead(finder, reader)] as const]);
};

const none: readonly TextSpan[] = [];

const asRead = (finder: Finder, { behind, isPlain, read, openCodeOf: codeOf }: SharedReader): Finder => {
  const ahead = Number(finder.maxLength) + finder.lookahead; // no value finder waits for the end of its part
  const isOpen = (text: string, from: number, until: number) => finder.open(text, from) < until;
  return {
    ...finder,
    maxLength: Number(finder.maxLength) * unitsPerSign,
    lookbehind: Math.max(finder.lookbehind, behind),
    lookahead: finder.lookahead * unitsPerSign,
    find: (text, from, until = text.length) => {
      const isNear = Math.min(text.length - until, ahead) <= nearAhead;
      if (isNear && isPlain(text, from, until + ahead)) return none;
      const reading = read(text, { from, until, ahead }, isOpen);
      if (!reading) return none;
      return finder
        .find(reading.text, reading.unitAt(from), reading.unitAt(until))
        .map((span) => ({ ...span, start: reading.startOf(span.start), end: reading.endOf(span.end - 1) }));
    },
    open: (text, from) => {
      if (isPlain(text, from, text.length)) return text.length; // as the paired finder decides
      const code = codeOf(text);
      const known = code === text.length ? text : text.slice(0, code);
      const reading = read(known, { from, until: known.length, ahead: 0 }, () => false);
      if (!reading && code === text.length) return code; // as the paired finder decides
      if (!reading) return Math.min(code, finder.open(known, from));
      const unit = finder.open(reading.text, reading.unitAt(from));
      return unit < reading.text.length ? reading.startOf(unit) : code;
    },
  };
};
