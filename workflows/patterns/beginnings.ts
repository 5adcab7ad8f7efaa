import type { AST } from '@eslint-community/regexpp';

import type { Beginning } from './facts.js';
import { readNode, type ExpressionNode } from './read-node.js';
import { isPlain, mayHoldStrings } from './regex-facts.js';

/** The length of a beginning; a shorter one has all that continue it. */
export const beginningChars = 3;
const leastChars = beginningChars - 1;
/** More alternatives take long to list. */
const maxBeginnings = 256;
/** Of all beginnings, so many at most may be those of an expression: more exclude too few places. */
const maxShare = 1 / 16;

/**
 * One of 32 symbols for each character: a letter in any case (`q` as `j`), a digit, `-` and `_`, `:` and `=`, `+`, other signs, white
 * space, or a character outside ASCII.
 */
const symbols = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code).toLowerCase().replace('q', 'j').replace('+', 'q');
  if (/[a-z]/.test(sign)) return sign.charCodeAt(0) - 0x60;
  return /\d/.test(sign) ? 27 : /[-_]/.test(sign) ? 28 : /[:=]/.test(sign) ? 29 : /\s/.test(sign) ? 31 : 30;
});
export const symbolCount = 32;
export const symbolOf = (code: number): number => symbols[code] ?? 0;

/** Beginnings that can go on, and those that are complete. */
interface Beginnings {
  readonly open: readonly Beginning[];
  readonly whole: readonly Beginning[];
}

/** The symbols of a set, in order. */
export const symbolsOf = (set: number): number[] =>
  Array.from({ length: symbolCount }, (_, at) => at).filter((at) => (set >>> at) & 1);

/**
 * The symbols with which each match of an expression begins; undefined if there are too many, or some match is too short. It may list too
 * many, never too few.
 */
export const beginningsOf = ({
  pattern,
  flags,
}: Pick<AST.RegExpLiteral, 'pattern' | 'flags'>): readonly Beginning[] | undefined => {
  const { open, whole } = after([[]], pattern, flags.unicodeSets ? 'v' : flags.unicode ? 'u' : '');
  const beginnings = unique([...open, ...whole]);
  const shareOf = (sets: Beginning): number => sets.reduce((share, set) => (share * symbolsOf(set).length) / symbolCount, 1);
  const isListed = beginnings.length <= maxBeginnings && beginnings.every(({ length }) => length >= leastChars);
  return isListed && beginnings.reduce((sum, sets) => sum + shareOf(sets), 0) <= maxShare ? beginnings : undefined;
};

const unique = (beginnings: readonly Beginning[]): Beginning[] => [
  ...new Map(beginnings.map((sets) => [sets.join(' '), sets])).values(),
];

const after = (open: readonly Beginning[], expression: ExpressionNode, flags: string): Beginnings =>
  readNode<Beginnings>(expression, {
    group: ({ alternatives }) => both(alternatives.map(({ elements }) => inTurn(open, elements, flags))),
    repetition: ({ element, min, max }) => {
      const times = Array.from({ length: Math.min(max, beginningChars) }, () => element);
      const ways = [...times, undefined].map((_, count) => inTurn(open, times.slice(0, count), flags));
      return both(ways.filter((way, count) => count >= Math.min(min, times.length)));
    },
    assertion: () => ({ open, whole: [] }),
    reference: () => ({ open: [], whole: open }),
    character: ({ raw }) => {
      if (mayHoldStrings(raw)) return { open: [], whole: open };
      const longer = open.flatMap((before) => unitsIn(raw, flags).map((units) => [...before, ...units].slice(0, beginningChars)));
      const isWhole = ({ length }: Beginning) => length === beginningChars;
      return { open: longer.filter((sets) => !isWhole(sets)), whole: longer.filter(isWhole) };
    },
  });

const inTurn = (open: readonly Beginning[], nodes: readonly AST.Element[], flags: string): Beginnings =>
  nodes.reduce<Beginnings>(
    (before, node) => {
      const next = after(before.open, node, flags);
      return { open: next.open, whole: unique([...before.whole, ...next.whole]) };
    },
    { open, whole: [] },
  );

const both = (ways: readonly Beginnings[]): Beginnings => ({
  open: unique(ways.flatMap(({ open }) => open)),
  whole: unique(ways.flatMap(({ whole }) => whole)),
});

/** Written in ASCII, without negation, properties or escapes other than for digits, words and signs. */
const isAscii = (raw: string): boolean =>
  /^(?:\[(?!\^)(?:[ -[\]-~]|\\(?:[dwtnr]|[!-/:-@[-`{-~]))*\]|[ -[\]-~]|\\(?:[dwtnr]|[!-/:-@[-`{-~]))$/.test(raw);

/** The symbols of a set's characters, in any case: of one unit, and of the two of a character outside the basic plane. */
const unitsIn = (raw: string, flags: string): readonly Beginning[] => {
  const readings = ['', 'i'].map((given) => new RegExp(`^(?:${raw})$`, given + flags)); // with `i`, a set with `^` has fewer characters
  const codes = Array.from(symbols.keys()).filter((code) => readings.some((form) => form.test(String.fromCharCode(code))));
  const ascii = codes.reduce((set, code) => set | (1 << symbolOf(code)), 0);
  const each = isAscii(raw) && flags === '' ? ascii : ascii | 1; // with the flag `u`, `s` and `k` have forms outside ASCII
  return flags === '' || isAscii(raw) || isPlain(raw) ? [[each]] : [[each], [1, 1]];
};
