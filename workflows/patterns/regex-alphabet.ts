import type { AST } from '@eslint-community/regexpp';
import { asciiSet, type AsciiSet } from './ascii-set.js';
import { mayHoldStrings } from './regex-reach.js';

/** The characters of an expression's matches: possibly too many, never too few. */
interface Alphabet {
  /** The characters at the start of a match. */
  readonly first: AsciiSet;
  /** The characters anywhere in a match. */
  readonly any: AsciiSet;
}

/** The alphabet of a parsed expression. */
export const alphabetOf = ({ pattern, flags }: Pick<AST.RegExpLiteral, 'pattern' | 'flags'>): Alphabet => {
  const unicode = flags.unicodeSets ? 'v' : flags.unicode ? 'u' : '';
  const setOf = (sources: readonly string[]): AsciiSet => {
    const source = `^(?:${sources.join('|') || '(?!)'})$`;
    // A group may set its own flags, and with `i` a set with `^` has fewer characters: both readings count.
    const readings = ['s', 'si'].map((given) => new RegExp(source, given + unicode));
    const isIn = (character: string) => readings.some((regex) => regex.test(character));
    return asciiSet(isIn);
  };
  const { first, any } = charactersOf(pattern);
  return { first: setOf(first), any: setOf(any) };
};

/** The sources of character-consuming nodes. */
interface Characters {
  readonly any: readonly string[];
  readonly first: readonly string[];
  /** Whether the match may be empty, so that the next node may start it. */
  readonly mayBeEmpty: boolean;
}

const nothing: Characters = { any: [], first: [], mayBeEmpty: true };

const charactersOf = (node: AST.Pattern | AST.Element): Characters => {
  switch (node.type) {
    case 'Pattern':
    case 'Group':
    case 'CapturingGroup':
      return oneOf(node.alternatives.map(({ elements }) => elements.map(charactersOf).reduce(then, nothing)));
    case 'Quantifier':
      return oneOf([charactersOf(node.element), ...(node.min === 0 ? [nothing] : [])]);
    case 'Assertion':
    case 'Backreference': // its group is in the expression, too
      return nothing;
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass': {
      const source = mayHoldStrings(node.raw) ? '[^]' : node.raw;
      return { any: [source], first: [source], mayBeEmpty: false };
    }
    default:
      node satisfies never;
      return nothing;
  }
};

const then = (before: Characters, next: Characters): Characters => ({
  any: [...before.any, ...next.any],
  first: before.mayBeEmpty ? [...before.first, ...next.first] : before.first,
  mayBeEmpty: before.mayBeEmpty && next.mayBeEmpty,
});

const oneOf = (ways: readonly Characters[]): Characters => ({
  any: ways.flatMap(({ any }) => any),
  first: ways.flatMap(({ first }) => first),
  mayBeEmpty: ways.some(({ mayBeEmpty }) => mayBeEmpty),
});
