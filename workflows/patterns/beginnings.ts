import type { AST } from '@eslint-community/regexpp';

import { readNode, type ExpressionNode } from './read-node.js';

/** The length of a beginning; a shorter one has all that continue it. */
export const beginningChars = 3;
const leastChars = beginningChars - 1;
/** A set with more symbols is not listed: the beginning ends before it. */
const maxSymbols = 16;
/** More beginnings exclude too few places. */
const maxBeginnings = 256;

/** One of 32 symbols for each character: a letter in any case, a digit, `-` and `_`, other signs, or a character outside ASCII. */
const symbols = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code).toLowerCase();
  if (/[a-z]/.test(sign)) return sign.charCodeAt(0) - 0x60;
  return /\d/.test(sign) ? 27 : /[-_]/.test(sign) ? 28 : /[:=]/.test(sign) ? 29 : /\s/.test(sign) ? 31 : 30;
});
export const symbolCount = 32;
export const symbolOf = (code: number): number => symbols[code] ?? 0;

/** Beginnings that can go on, and those that are complete. */
interface Beginnings {
  readonly open: ReadonlySet<string>;
  readonly whole: ReadonlySet<string>;
}

/**
 * The symbols with which each match of an expression begins; undefined if there are too many, or some match is too short. It may list too
 * many, never too few.
 */
export const beginningsOf = ({ pattern, flags }: Pick<AST.RegExpLiteral, 'pattern' | 'flags'>): readonly string[] | undefined => {
  const { open, whole } = after(new Set(['']), pattern, flags.unicodeSets ? 'v' : flags.unicode ? 'u' : '');
  const beginnings = [...open, ...whole];
  return beginnings.length <= maxBeginnings && beginnings.every(({ length }) => length >= leastChars) ? beginnings : undefined;
};

const after = (open: ReadonlySet<string>, expression: ExpressionNode, flags: string): Beginnings =>
  readNode<Beginnings>(expression, {
    group: ({ alternatives }) => both(alternatives.map(({ elements }) => inTurn(open, elements, flags))),
    repetition: ({ element, min, max }) => {
      const times = Array.from({ length: Math.min(max, beginningChars) }, () => element);
      const ways = [...times, undefined].map((_, count) => inTurn(open, times.slice(0, count), flags));
      return both(ways.filter((way, count) => count >= Math.min(min, times.length)));
    },
    assertion: () => ({ open, whole: new Set() }),
    reference: () => ({ open: new Set(), whole: open }),
    character: ({ raw }) => {
      const next = symbolsIn(raw, flags);
      if (next.length > maxSymbols) return { open: new Set(), whole: open };
      const longer = [...open].flatMap((before) => next.map((symbol) => before + symbol));
      const isWhole = (text: string) => text.length === beginningChars;
      return { open: new Set(longer.filter((text) => !isWhole(text))), whole: new Set(longer.filter(isWhole)) };
    },
  });

const inTurn = (open: ReadonlySet<string>, nodes: readonly AST.Element[], flags: string): Beginnings =>
  nodes.reduce<Beginnings>(
    (before, node) => {
      const next = after(before.open, node, flags);
      return { open: next.open, whole: new Set([...before.whole, ...next.whole]) };
    },
    { open, whole: new Set() },
  );

const both = (ways: readonly Beginnings[]): Beginnings => ({
  open: new Set(ways.flatMap(({ open }) => [...open])),
  whole: new Set(ways.flatMap(({ whole }) => [...whole])),
});

/** Written in ASCII, without negation, properties or escapes other than for digits, words and signs. */
const isAscii = (raw: string): boolean =>
  /^(?:\[(?!\^)(?:[ -[\]-~]|\\(?:[dwtnr]|[!-/:-@[-`{-~]))*\]|[ -[\]-~]|\\(?:[dwtnr]|[!-/:-@[-`{-~]))$/.test(raw);

/** The symbols of a set's characters, in any case. */
const symbolsIn = (raw: string, flags: string): readonly string[] => {
  const readings = ['', 'i'].map((given) => new RegExp(`^(?:${raw})$`, given + flags)); // with `i`, a set with `^` has fewer characters
  const codes = Array.from(symbols.keys()).filter((code) => readings.some((form) => form.test(String.fromCharCode(code))));
  const found = new Set(codes.map(symbolOf));
  if (!isAscii(raw) || flags !== '') found.add(0); // with the flag `u`, `s` and `k` have forms outside ASCII
  return [...found].map((symbol) => String.fromCharCode(symbol));
};
