import { RegExpParser, type AST } from '@eslint-community/regexpp';
import type { TextSpan } from '../../src/guard/pattern.js';
import { once } from '../../src/phase/once.js';
import type { Finder, ReadMatch } from './finder.js';
import { indexOfAny, type AsciiSet } from './ascii-set.js';
import { alphabetOf } from './regex-alphabet.js';
import { openSourceOf } from './regex-open.js';
import { reachOf } from './regex-reach.js';

interface FinderOptions {
  /** What a value looks like; its reach must be bounded. Where `read` is given, what may be a value. */
  readonly regex: RegExp;
  /** The text directly before every value, with the flags of `regex`; it is searched first. Default: none. */
  readonly lead?: RegExp;
  /** The most characters that a value may have, in UTF-16 units. Default: what the expression can match. */
  readonly maxLength?: number | 'part';
  /** How far before a match `read` looks, beyond what the expression does. Default 0. */
  readonly lookbehind?: number;
  /** What every value has in it: a cheap look before the expression is tried. Default: none. */
  readonly hint?: RegExp;
  /** What every value begins with: a cheap look at a place before the expression is tried there. Default: none. */
  readonly beginning?: RegExp;
  /** What begins like a value, where that is cheaper to tell than by the expression; matches wherever it does, or more. Default: `regex`. */
  readonly shape?: RegExp;
  /** Where a value may still begin, where that is cheaper to tell than by any expression. */
  readonly open?: Finder['open'];
  /** Default: each match is a value. */
  readonly read?: ReadMatch;
  /** Default: it may grow. */
  readonly isClosed?: Finder['isClosed'];
}

/**
 * Makes a finder from an expression. Where a match could still begin, or end otherwise, is read from the expression itself, so
 * that a stream is held back no longer than it must be.
 */
export const defineFinder = ({
  regex,
  maxLength,
  lookbehind = 0,
  hint,
  beginning,
  lead,
  shape = behind(lead, regex),
  read = (_text, { end }) => end,
  open: given,
  isClosed,
}: FinderOptions): Finder => {
  const reach = once(() => reachIn(parse(behind(lead, regex))));
  const open = once(() => given ?? openIn(shape));
  const led = lead ? `${lead.source}(${regex.source})` : beginningWith(beginning, regex);
  const [candidate, sign] = [globally(led, regex), hint && globally(hint.source, hint)];
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
      const end = until + reach().length + reach().ahead;
      const scope = end < text.length ? text.slice(0, end) : text;
      return sign && indexIn(scope, sign, Math.max(0, from - reach().behind)) < 0
        ? none
        : readAll(text, { scope, candidate, read, behind: lead ? reach().behind : 0 }, { from, until });
    },
    open: (text, from) => open()(text, from),
    isClosed,
  };
};

/** Holds the run of some characters at the end of a text, as far as a value and what leads to it may reach. */
export const openRun =
  (characters: AsciiSet, most: number): Finder['open'] =>
  (text, from) => {
    const least = Math.max(from, text.length - most);
    let at = text.length;
    while (at > least && characters[text.charCodeAt(at - 1)] === 1) at -= 1;
    return at;
  };

const behind = (lead: RegExp | undefined, regex: RegExp): RegExp =>
  lead ? new RegExp(`(?<=${lead.source})(?:${regex.source})`, regex.flags) : regex;

const beginningWith = (beginning: RegExp | undefined, { source }: RegExp): string =>
  beginning ? `(?=${beginning.source})(?:${source})` : source;

const parse = (regex: RegExp) => new RegExpParser().parseLiteral(String(regex));

const reachIn = ({ pattern, flags }: AST.RegExpLiteral) => reachOf(pattern, flags.unicode || flags.unicodeSets);

/**
 * The earliest position at which a match could still start. For most texts the characters decide without the expression: if none
 * of the last ones can occur in a match, no match is open.
 */
const openIn = (shape: RegExp): Finder['open'] => {
  const parsed = parse(shape);
  const open = globally(openSourceOf(parsed.pattern), shape);
  const { length, ahead } = reachIn(parsed);
  const undecided = Math.max(1, ahead);
  const most = length + ahead;
  const { first, any } = alphabetOf(parsed);
  return (text, from) => {
    const until = text.length;
    if (indexOfAny(any, text, { from: Math.max(from, until - undecided), until }) === until) return until;
    const index = indexIn(text, open, indexOfAny(first, text, { from: Math.max(from, until - most), until }));
    return index < 0 ? until : index;
  };
};

const none: readonly TextSpan[] = [];

const globally = (source: string, { flags }: RegExp): RegExp => new RegExp(source, `${flags.replaceAll(/[gy]/g, '')}g`);

const indexIn = (text: string, regex: RegExp, from: number): number => {
  regex.lastIndex = from;
  return regex.exec(text)?.index ?? -1;
};

interface Candidates {
  /** The text as far as what begins before `until` may reach. */
  readonly scope: string;
  readonly candidate: RegExp;
  readonly read: ReadMatch;
  /** How far before a value the expression may have to begin, since what leads to it is part of it. */
  readonly behind: number;
}

/** A candidate that is no value hides none that starts inside it. */
const readAll = (
  text: string,
  { scope, candidate, read, behind: led }: Candidates,
  { from, until }: { from: number; until: number },
): TextSpan[] => {
  const spans: TextSpan[] = [];
  let least = from;
  candidate.lastIndex = Math.max(0, from - led);
  for (let match = candidate.exec(scope); match; match = candidate.exec(scope)) {
    const after = match.index + match[0].length;
    const start = led > 0 ? after - (match[1] ?? '').length : match.index;
    if (start >= until) break;
    const end = start >= least && after > start ? read(text, { start, end: after }) : undefined;
    if (end !== undefined) spans.push({ start, end });
    const next = match.index + ((scope.codePointAt(match.index) ?? 0) > 0xffff ? 2 : 1);
    least = end ?? least;
    candidate.lastIndex = end === undefined ? next : Math.max(end - led, Math.min(end, next));
  }
  return spans;
};
