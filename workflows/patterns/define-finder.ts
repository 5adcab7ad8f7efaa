import { RegExpParser, type AST } from '@eslint-community/regexpp';
import type { TextSpan } from '../../src/guard/pattern.js';
import type { Finder, ReadMatch } from './finder.js';
import { indexOfAny } from './ascii-set.js';
import { alphabetOf } from './regex-alphabet.js';
import { openSourceOf } from './regex-open.js';
import { reachOf } from './regex-reach.js';

export interface FinderOptions {
  /** What a value looks like; its reach must be bounded. Where `read` is given, what may be a value. */
  readonly regex: RegExp;
  /** The most characters that a value may have, in UTF-16 units. Default: what the expression can match. */
  readonly maxLength?: number | 'part';
  /** How far before a match `read` looks, beyond what the expression does. Default 0. */
  readonly lookbehind?: number;
  /** What every value has in it: a cheap look before the expression is tried. Default: none. */
  readonly hint?: RegExp;
  /** What begins like a value, where that is cheaper to tell than by the expression; matches wherever it does, or more. Default: `regex`. */
  readonly shape?: RegExp;
  /** Default: each match is a value. */
  readonly read?: ReadMatch;
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
  shape = regex,
  read = (_text, { end }) => end,
}: FinderOptions): Finder => {
  const reach = reachIn(parse(regex));
  const [candidate, sign] = [globally(regex.source, regex), hint && globally(hint.source, hint)];
  return {
    maxLength: maxLength ?? reach.length,
    lookbehind: reach.behind + lookbehind,
    lookahead: reach.ahead,
    find: (text, from) => (sign && indexIn(text, sign, from) < 0 ? [] : readAll(text, candidate, { from, read })),
    open: openIn(shape),
  };
};

const parse = (regex: RegExp) => new RegExpParser().parseLiteral(String(regex));

const reachIn = ({ pattern, flags }: AST.RegExpLiteral) => reachOf(pattern, flags.unicode || flags.unicodeSets);

/**
 * Where a match could still begin. Most text is told by its characters, without trying the expression: where none of the last ones
 * may stand in a match all is decided, and no match begins with one that none begins with.
 */
const openIn = (shape: RegExp): Finder['open'] => {
  const parsed = parse(shape);
  const open = globally(openSourceOf(parsed.pattern), shape);
  const undecided = Math.max(1, reachIn(parsed).ahead);
  const { first, any } = alphabetOf(parsed);
  return (text, from) => {
    if (indexOfAny(any, text, Math.max(from, text.length - undecided)) === text.length) return text.length;
    const index = indexIn(text, open, indexOfAny(first, text, from));
    return index < 0 ? text.length : index;
  };
};

const globally = (source: string, { flags }: RegExp): RegExp => new RegExp(source, `${flags.replaceAll(/[gy]/g, '')}g`);

const indexIn = (text: string, regex: RegExp, from: number): number => {
  regex.lastIndex = from;
  return regex.exec(text)?.index ?? -1;
};

/** A candidate that is no value hides none that starts inside it. */
const readAll = (text: string, candidate: RegExp, { from, read }: { from: number; read: ReadMatch }): TextSpan[] => {
  const spans: TextSpan[] = [];
  candidate.lastIndex = from;
  for (let match = candidate.exec(text); match; match = candidate.exec(text)) {
    const start = match.index;
    const end = match[0] ? read(text, { start, end: start + match[0].length }) : undefined;
    if (end !== undefined) spans.push({ start, end });
    candidate.lastIndex = end ?? start + ((text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1);
  }
  return spans;
};
