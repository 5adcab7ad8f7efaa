import type { AST } from '@eslint-community/regexpp';
import { mayHoldStrings } from './regex-reach.js';

/** A set of characters: 1 at the code of each that is in it. Of characters beyond ASCII nothing is known: any of them may be. */
export type AsciiSet = Uint8Array;

const asciiCount = 128;

/** Which characters the matches of an expression have: rather too many than too few. */
export interface Alphabet {
  /** Those that a match may begin with. */
  readonly first: AsciiSet;
  /** Those that may stand in a match. */
  readonly any: AsciiSet;
}

/** The alphabet of a parsed expression. */
export const alphabetOf = ({ pattern, flags }: Pick<AST.RegExpLiteral, 'pattern' | 'flags'>): Alphabet => {
  const unicode = flags.unicodeSets ? 'v' : flags.unicode ? 'u' : '';
  const setOf = (sources: readonly string[]): AsciiSet => {
    const source = `^(?:${sources.join('|') || '(?!)'})$`;
    // A group may set flags of its own, and by `i` a set with a `^` has fewer characters: both readings count.
    const readings = ['s', 'si'].map((given) => new RegExp(source, given + unicode));
    const isIn = (character: string) => readings.some((regex) => regex.test(character));
    return Uint8Array.from({ length: asciiCount }, (_, code) => Number(isIn(String.fromCharCode(code))));
  };
  return { first: setOf(firstOf(pattern).sources), any: setOf(charactersIn(pattern)) };
};

/** The first place, at `from` or later, of a character that may be in a set; the text's length where there is none. */
export const indexOfAny = (set: AsciiSet, text: string, from: number): number => {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= asciiCount || set[code] === 1) return at;
  }
  return text.length;
};

/** The sources of everything that takes a character. */
const charactersIn = (node: AST.Pattern | AST.Element): string[] => {
  switch (node.type) {
    case 'Pattern':
    case 'Group':
    case 'CapturingGroup':
      return node.alternatives.flatMap(({ elements }) => elements.flatMap(charactersIn));
    case 'Quantifier':
      return charactersIn(node.element);
    case 'Assertion':
    case 'Backreference': // its group is in the expression, too
      return [];
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass':
      return [mayHoldStrings(node.raw) ? '[^]' : node.raw];
    default:
      node satisfies never;
      return [];
  }
};

interface First {
  readonly sources: readonly string[];
  /** Whether it may take no character, so that what follows may begin the match. */
  readonly mayBeEmpty: boolean;
}

const firstOf = (node: AST.Pattern | AST.Element): First => {
  switch (node.type) {
    case 'Pattern':
    case 'Group':
    case 'CapturingGroup':
      return firstOfAny(node.alternatives.map(({ elements }) => firstInSequence(elements)));
    case 'Quantifier':
      return firstOfAny([firstOf(node.element), { sources: [], mayBeEmpty: node.min === 0 }]);
    default:
      return { sources: charactersIn(node), mayBeEmpty: node.type === 'Assertion' || node.type === 'Backreference' };
  }
};

const firstOfAny = (firsts: readonly First[]): First => ({
  sources: firsts.flatMap(({ sources }) => sources),
  mayBeEmpty: firsts.some(({ mayBeEmpty }) => mayBeEmpty),
});

const firstInSequence = ([first, ...rest]: readonly AST.Element[]): First => {
  if (!first) return { sources: [], mayBeEmpty: true };
  const own = firstOf(first);
  if (!own.mayBeEmpty) return own;
  const following = firstInSequence(rest);
  return { sources: [...own.sources, ...following.sources], mayBeEmpty: following.mayBeEmpty };
};
