import type { Pattern, TextSpan } from '../../src/guard/pattern.js';
import { once } from '../../src/phase/memo.js';
import { type AsciiSet, indexOfAny, runOf, startOfRun } from './ascii-set.js';
import { beginningChars } from './beginnings.js';
import type { Facts } from './facts.js';
import { ownFactsOf } from './own-facts.js';
import { type Places, sieve } from './sieve.js';

/** Recognizes one kind of value: the places of a {@link Pattern}, without its replacement. */
export type Finder = Required<Pick<Pattern, 'maxLength' | 'lookbehind' | 'lookahead' | 'open'>> &
  Pick<Pattern, 'prepare' | 'stateOf'> & {
    /** The matches that start from `from` up to `until`. Default for `until`: the end of the text. */
    find(text: string, from: number, until?: number): readonly TextSpan[];
    /** Whether a label makes its values recognizable. Default: no. */
    readonly isLabelled?: boolean;
    /** Whether its values have no longest length: one goes on to the end of its own characters. Default: no. */
    readonly isEndless?: boolean;
    /** Whether its values end at a fixed boundary, so that a value that starts inside one never continues after it. Default: no. */
    readonly isClosed?: boolean;
  };

/**
 * Decides about a match of an expression: returns the end of the value that starts with it, or undefined if it is none. It looks no
 * further ahead than the expression does.
 */
export type ReadMatch = (text: string, match: TextSpan) => number | undefined;

interface FinderOptions {
  /** The form of a value, or of a candidate if there is `read`. Its reach must be bounded. */
  readonly regex: RegExp;
  /** The text directly before every value, with the flags of `regex`; it is searched first. Default: none. */
  readonly lead?: RegExp;
  /** The maximum length of a value, in UTF-16 units. Default: that of the expression's matches. */
  readonly maxLength?: number | 'part';
  /** The distance that `read` looks back before a match, beyond the expression's own. Default 0. */
  readonly lookbehind?: number;
  /** A part of every value: a cheap check before the expression. Default: none. */
  readonly hint?: RegExp;
  /** A cheaper form of a value's beginning; it matches at least where `regex` does. Default: `regex`. */
  readonly shape?: RegExp;
  /** The earliest position at which a value may still start, if that is cheaper to find than with an expression. */
  readonly open?: Finder['open'];
  /** Default: each match is a value. */
  readonly read?: ReadMatch;
  /** Default: a value may grow. */
  readonly isClosed?: Finder['isClosed'];
  /** Default: whether there is a `lead`. */
  readonly isLabelled?: Finder['isLabelled'];
}

/**
 * Makes a finder from an expression. The places where a match could still start or end otherwise are derived from the expression, so
 * that a stream is buffered no longer than necessary. The options are read on first use: most programs use few finders, and compiling
 * an expression with classes of Unicode takes time.
 *
 * @param factsOf derives facts of its expressions. Default: the package's own are known.
 */
export const defineFinder = (options: () => FinderOptions, factsOf: (regex: RegExp) => Facts = ownFactsOf): Finder => {
  const finder = once(() => createFinder(options(), factsOf));
  return {
    get maxLength() {
      return finder().maxLength;
    },
    get lookbehind() {
      return finder().lookbehind;
    },
    get lookahead() {
      return finder().lookahead;
    },
    find: (text, from, until) => finder().find(text, from, until),
    open: (text, from) => finder().open(text, from),
    get isClosed() {
      return finder().isClosed;
    },
    get isLabelled() {
      return finder().isLabelled;
    },
  };
};

const createFinder = (
  {
    regex,
    maxLength,
    lookbehind = 0,
    hint,
    lead,
    shape,
    read = (_text, { end }) => end,
    open: given,
    isClosed,
    isLabelled = lead !== undefined,
  }: FinderOptions,
  factsOf: (regex: RegExp) => Facts,
): Finder => {
  const facts = factsOf(behind(lead, regex));
  const { reach } = facts;
  const led = lead ? new RegExp(`${lead.source}(${regex.source})`, regex.flags) : regex;
  const places = once(() => (hint ? undefined : sieve.add((lead ? factsOf(led) : facts).beginnings())));
  const open = once(
    () =>
      given ?? (shape ? openIn(shape, factsOf(shape)) : openIn(regex, facts, { places: places(), isLed: lead !== undefined })),
  );
  /** The text up to the reach of a value that starts before a place. */
  const upTo = (text: string, until: number): string => text.slice(0, until + reach().length + reach().ahead);
  const candidate = once((): Search => {
    const sieved = places();
    if (sieved) return searchAt(led, sieved);
    const inRuns = !lead && facts.alphabet().any[' '.charCodeAt(0)] === 0;
    const search: Search = inRuns ? searchRuns(regex, facts) : searchOf(globally(led.source, led));
    return (text, from, until) => search(upTo(text, until), from, until);
  });
  const sign = hint && globally(hint.source, hint);
  return {
    get maxLength() {
      return maxLength ?? reach().length;
    },
    get lookbehind() {
      return reach().behind + lookbehind;
    },
    get lookahead() {
      return reach().ahead;
    },
    find: (text, from, until = text.length) => {
      if (places()?.may(text, from, until) === false) return none;
      if (sign && indexIn(upTo(text, until), sign, Math.max(0, from - reach().behind)) < 0) return none;
      return readAll(text, { candidate: candidate(), read, behind: lead ? reach().behind : 0 }, { from, until });
    },
    open: (text, from) => open()(text, from),
    isClosed,
    isLabelled,
  };
};

/** The start of a value that may be longer than others: in or shortly before a run of its characters. */
interface LongValue {
  readonly lead: RegExp;
  readonly most: number;
}

const maxLeadChars = 144;

/**
 * Buffers the run of the given characters at the end of a text, up to the maximum reach of a value and its lead. More than `most`
 * characters are buffered only after the lead of a long value.
 */
export const openRun =
  (characters: AsciiSet, most: number, long?: LongValue): Finder['open'] =>
  (text, from) => {
    const least = Math.max(from, text.length - (long?.most ?? most));
    let at = text.length;
    while (at > least && characters[text.charCodeAt(at - 1)] === 1) at -= 1;
    if (!long || text.length - at <= most) return at;
    const near = Math.max(0, at - maxLeadChars);
    const lead = text.slice(near).search(long.lead);
    return lead < 0 ? text.length - most : Math.min(Math.max(at, near + lead), text.length - most);
  };

const behind = (lead: RegExp | undefined, regex: RegExp): RegExp =>
  lead ? new RegExp(`(?<=${lead.source})(?:${regex.source})`, regex.flags) : regex;

/**
 * The earliest position at which a match could still start. For most texts the characters decide without the expression: if none
 * of the last ones can occur in a match, no match is open; otherwise it is in the run of such characters at the end, and after the
 * beginning of a value, which may be incomplete, or of its lead.
 */
const openIn = (
  regex: RegExp,
  { alphabet, reach, openSource }: Facts,
  { places, isLed = false }: { places?: Places | undefined; isLed?: boolean } = {},
): Finder['open'] => {
  const { first, any } = alphabet();
  const { length, ahead, behind: led } = reach();
  const source = openSource(); // not when a text needs it: the build stores what is read
  const open = once(() => globally(source, regex));
  const undecided = Math.max(1, ahead);
  return (text, from) => {
    const until = text.length;
    if (places?.mayBeOpen(text, from) === false) return until;
    const near = Math.max(from, until - undecided);
    if (indexOfAny(any, text, { from: near, until }) === until) return until;
    const least = startOfRun(any, text, { at: near, least: Math.max(from, until - length - ahead) });
    const place = places?.next(text, Math.max(0, least - led), until) ?? least;
    const most = isLed ? until : until - beginningChars + 1;
    const start = indexOfAny(first, text, { from: Math.max(least, Math.min(place, most)), until });
    const index = start === until ? -1 : indexIn(text, open(), start);
    return index < 0 ? until : index;
  };
};

const none: readonly TextSpan[] = [];

const globally = (source: string, { flags }: RegExp): RegExp => new RegExp(source, `${flags.replaceAll(/[gy]/g, '')}g`);

/** Finds the first match from a place on, if it starts before `until`; a later one may be found as well. */
type Search = (text: string, from: number, until: number) => RegExpExecArray | null;

const searchOf =
  (regex: RegExp) =>
  (text: string, from: number): RegExpExecArray | null => {
    regex.lastIndex = from;
    return regex.exec(text);
  };

/** A search for matches by their beginnings, if these are known. */
export const searchFor = (regex: RegExp): Search => {
  const { beginnings, reach } = ownFactsOf(regex);
  const places = sieve.add(beginnings());
  const search = searchOf(globally(regex.source, regex));
  return places ? searchAt(regex, places) : (text, from, until) => search(text.slice(0, until + reach().length), from);
};

/** The same: only the places with a beginning of a match are compared. */
const searchAt = ({ source, flags }: RegExp, { next }: Places): Search => {
  const match = searchOf(new RegExp(source, `${flags.replaceAll(/[gy]/g, '')}y`));
  return (text, from, until) => {
    let found: RegExpExecArray | null = null;
    for (let at = next(text, from, until); at < until && !found; at = next(text, at + 1, until)) found = match(text, at);
    return found;
  };
};

/** The same: only runs of a match's characters that are long enough for a match are searched, and most texts have few. */
const searchRuns = (regex: RegExp, facts: Facts): Search => {
  const [{ any }, least, { ahead }] = [facts.alphabet(), facts.least(), facts.reach()];
  const search = searchOf(globally(regex.source, regex));
  let [knownText, known]: [string, ReturnType<typeof runOf>] = ['', undefined]; // a long run is searched for many candidates
  const nextRun = (text: string, from: number): typeof known => {
    const isKnown = knownText === text && known && known.start <= from && known.end - from >= least;
    if (isKnown && known) return { start: from, end: known.end };
    [knownText, known] = [text, runOf(any, text, { from, least })];
    return known;
  };
  return (text, from, until) => {
    for (let run = nextRun(text, from); run && run.start < until; run = nextRun(text, run.end)) {
      const match = search(text.slice(0, run.end + ahead), run.start);
      if (match && match.index < run.end) return match; // a later one would be cut off
    }
    return null;
  };
};

const indexIn = (text: string, regex: RegExp, from: number): number => {
  regex.lastIndex = from;
  return regex.exec(text)?.index ?? -1;
};

interface Candidates {
  readonly candidate: Search;
  readonly read: ReadMatch;
  /** The distance before a value at which the expression may start, since it includes the lead. */
  readonly behind: number;
}

/** A candidate without a value does not hide candidates that start inside it. */
const readAll = (
  text: string,
  { candidate, read, behind: led }: Candidates,
  { from, until }: { from: number; until: number },
): TextSpan[] => {
  const spans: TextSpan[] = [];
  let least = from;
  let place = Math.max(0, from - led);
  for (let match = candidate(text, place, until); match; match = candidate(text, place, until)) {
    const after = match.index + match[0].length;
    const start = led > 0 ? after - (match[1] ?? '').length : match.index;
    if (start >= until) break;
    const end = start >= least && after > start ? read(text, { start, end: after }) : undefined;
    if (end !== undefined) spans.push({ start, end });
    const next = match.index + ((text.codePointAt(match.index) ?? 0) > 0xffff ? 2 : 1);
    least = end ?? least;
    place = end === undefined ? next : Math.max(end - led, Math.min(end, next));
  }
  return spans;
};
