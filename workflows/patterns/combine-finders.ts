import type { TextSpan } from '../../src/guard/pattern.js';
import { isHighSurrogate } from './ascii-set.js';
import type { Finder } from './define-finder.js';
import { leadOf } from '../../src/phase/labels.js';
import { once } from '../../src/phase/memo.js';

/** A labeled value starts at most this far after its label: after the name of a scheme, such as `Basic`. */
const maxLedChars = 32;

/** A segment of text that is, or overlaps, values; named after the kind that is first in the list of kinds. */
export interface ValueSpan<Kind extends string = string> extends TextSpan {
  readonly kind: Kind;
  /** Whether it is the rest of the value before it, which has its replacement there. */
  readonly isRest?: boolean;
}

/** Finds several kinds of value at once. */
export type CombinedFinder<Kind extends string = string> = Omit<Finder, 'find' | 'isLabelled'> & {
  /** The spans that start from `from` up to `until`; `from` is never inside one. Default for `until`: the end of the text. */
  find(text: string, from: number, until?: number): readonly ValueSpan<Kind>[];
  readonly isStepwise: boolean;
  rest(text: string, from: number, match: TextSpan): ValueSpan<Kind> | undefined;
  /** The value at the start of a text that its label makes one: `password`, for a field with this key. */
  labelled(text: string, label: string): ValueSpan<Kind> | undefined;
  /** The finders of values that are recognizable without a label in the text. Default: all. */
  unlabelled?(): CombinedFinder<Kind>;
};

/** The number of spans by kind, for reports. */
export const countKinds = <Kind extends string>(spans: readonly ValueSpan<Kind>[]): Partial<Record<Kind, number>> => {
  const counts: Partial<Record<Kind, number>> = {};
  for (const { kind, isRest } of spans) if (!isRest) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};

/** Finders by the kind of their values. If two match the same characters, the earlier one names them. */
export type NamedFinders<Kind extends string = string> = readonly (readonly [kind: Kind, finder: Finder])[];

/**
 * Combines finders. Values that overlap become one span, because removing one would leave a piece of the other;
 * a closed value ends the span. `maxLength` is that of the longest value; only contrived text has chains of
 * overlapping values that are longer.
 */
export const combineFinders = <Kind extends string>(finders: NamedFinders<Kind>): CombinedFinder<Kind> => {
  const longest = finders.map(([, { maxLength }]) => maxLength);
  const maxLength = longest.includes('part') ? 'part' : Math.max(1, ...longest.map(Number));
  /** The last search and its result: `open` searches a text for values, and the same search follows. */
  let known: { text: string; from: number; until: number; spans: readonly ValueSpan<Kind>[] } | undefined;
  const find = (text: string, from: number, until = text.length): readonly ValueSpan<Kind>[] => {
    if (known?.from === from && known.until === until && known.text === text) return known.spans;
    const spans = joined(valuesIn(finders, text, { from, until }));
    known = { text, from, until, spans };
    return spans;
  };
  const endless = finders.filter(([, { isEndless }]) => isEndless);
  const ofLabels = once(() => finders.filter(([, { isLabelled }]) => isLabelled));
  const preparing = finders.find(([, { prepare }]) => prepare)?.[1].prepare;
  const stateOf = finders.find(([, one]) => one.stateOf)?.[1].stateOf; // only one kind has a state
  return {
    maxLength,
    ...(preparing && { prepare: preparing }),
    ...(stateOf && { stateOf }),
    isStepwise: finders.every(([, one]) => one.maxLength !== 'part' || one.prepare !== undefined),
    lookbehind: Math.max(endless.length > 0 ? longChars : 1, ...finders.map(([, { lookbehind }]) => lookbehind)),
    lookahead: Math.max(1, ...finders.map(([, { lookahead }]) => lookahead)),
    find,
    rest: (text, from, match) => {
      const named = endless.find(([kind]) => 'kind' in match && match.kind === kind);
      const last = named ? endOfRest(text, from, 'isRest' in match) : from;
      const next = last > from ? find(text, from, last).find(({ end }) => end > last) : undefined; // the rest must not take its beginning
      const end = next?.start ?? last;
      return named && end > from ? { start: from, end, kind: named[0], isRest: true } : undefined;
    },
    labelled: (text, label) => {
      const lead = leadOf(label);
      const range = { from: lead.length, until: Math.min(lead.length + text.length, lead.length + maxLedChars) };
      const [value] = joined(valuesIn(ofLabels(), lead + text, range));
      return value && { ...value, start: value.start - lead.length, end: value.end - lead.length };
    },
    unlabelled: once(() => combineFinders(finders.filter(([, { isLabelled }]) => !isLabelled))),
    open: (text, from) => {
      const open = maxLength === 'part' ? from : openIn(finders, text, from);
      const last = open > from ? find(text, from, open).at(-1) : undefined;
      return last && last.end > open ? last.start : open;
    },
  };
};

/** So many characters of a value in a row are no word: any of these characters continues it. */
const longChars = 256;
const longRun = new RegExp(String.raw`^[\w+/=.~%-]{${longChars}}$`);

/** The end of the characters of a value that continue it from a place on: inside a word, inside a long run, or after the first of them. */
const endOfRest = (text: string, from: number, isRest: boolean): number => {
  const isInside =
    isRest || /^\w\w$/.test(text.slice(from - 1, from + 1)) || longRun.test(text.slice(Math.max(0, from - longChars), from));
  return isInside ? from + (/^[\w+/=.~%-]*/.exec(text.slice(from))?.[0] ?? '').length : from;
};

const none: readonly TextSpan[] = [];

interface Value<Kind> extends TextSpan {
  /** The index of its kind in the list. */
  readonly rank: number;
  readonly kind: Kind;
  readonly isClosed: boolean;
}

/** The values that start in a range, and those that start inside the last of them. */
const valuesIn = <Kind extends string>(
  finders: NamedFinders<Kind>,
  text: string,
  { from, until }: { from: number; until: number },
): Value<Kind>[] => {
  const values: Value<Kind>[] = [];
  /** The next start of a finder: after its own last value. */
  const places = new Map<number, number>();
  let last = until;
  for (let end = until, before = from; before < end; [before, end] = [end, last]) {
    for (let rank = 0; rank < finders.length; rank += 1) {
      const [kind, finder] = finders[rank] as NamedFinders<Kind>[number]; // within its length
      const place = Math.max(before, places.get(rank) ?? 0);
      const spans = place < end ? finder.find(text, place, end) : none;
      if (spans.length === 0) continue;
      for (const span of spans as readonly (TextSpan & { kind?: Kind })[])
        // a span of entities has its own kind
        values.push({ start: span.start, end: span.end, rank, kind: span.kind ?? kind, isClosed: finder.isClosed ?? false });
      const next = spans.at(-1)?.end ?? 0;
      places.set(rank, next);
      last = Math.max(last, next);
    }
  }
  return values.length > 1 ? values.toSorted((a, b) => a.start - b.start || b.end - a.end) : values;
};

/** Joins overlapping values. The first of their kinds in the list names the result, which ends with a closed value. */
const joined = <Kind extends string>(values: readonly Value<Kind>[]): ValueSpan<Kind>[] => {
  const spans: ValueSpan<Kind>[] = [];
  let last: Value<Kind> | undefined;
  for (const value of values) {
    const isApart = last === undefined || value.start >= last.end;
    last = isApart ? value : union(last as Value<Kind>, value); // defined after the first value
    const { start, end, kind } = last;
    spans[isApart ? spans.length : spans.length - 1] = { start, end, kind };
  }
  return spans;
};

const union = <Kind>(a: Value<Kind>, b: Value<Kind>): Value<Kind> => {
  const { rank, kind } = a.rank <= b.rank ? a : b;
  const closed = [a, b].find(({ isClosed }) => isClosed);
  return { start: a.start, end: closed?.end ?? Math.max(a.end, b.end), rank, kind, isClosed: closed !== undefined };
};

const openIn = (finders: NamedFinders, text: string, from: number): number => {
  const whole = isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(0, -1) : text; // its other half is still to come
  let open = whole.length;
  for (const [, finder] of finders) open = Math.min(open, finder.open(whole, from));
  return Math.max(from, open);
};
