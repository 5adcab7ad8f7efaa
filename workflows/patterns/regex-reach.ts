import type { AST } from '@eslint-community/regexpp';

/** The reach of an expression, in UTF-16 units; `Infinity` without a bound. */
interface Reach {
  /** The longest match. */
  readonly length: number;
  /** The distance that it looks back before a match. */
  readonly behind: number;
  /** The distance that it looks ahead of its current place. */
  readonly ahead: number;
}

const none: Reach = { length: 0, behind: 0, ahead: 0 };

/**
 * The reach of a parsed expression; possibly too long, never too short.
 *
 * @param isUnicode whether it has the flag `u` or `v`, so that a character may be two units long
 */
export const reachOf = (node: AST.Pattern | AST.Element, isUnicode: boolean): Reach => {
  switch (node.type) {
    case 'Pattern':
    case 'Group':
    case 'CapturingGroup':
      return widest(node.alternatives.map((each) => reachOfSequence(each, isUnicode)));
    case 'Quantifier':
      return repeated(reachOf(node.element, isUnicode), node.max);
    case 'Assertion':
      return reachOfAssertion(node, isUnicode);
    case 'Backreference':
      return { ...none, length: Math.max(...[node.resolved].flat().map((group) => reachOf(group, isUnicode).length)) };
    case 'Character':
      return { ...none, length: node.value > 0xffff ? 2 : 1 };
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass':
      return { ...none, length: isUnicode ? maxCharacterLength(node) : 1 };
    default:
      node satisfies never;
      return none;
  }
};

const reachOfSequence = ({ elements }: AST.Alternative, isUnicode: boolean): Reach => {
  const reaches = elements.map((element) => reachOf(element, isUnicode));
  return { ...widest(reaches), length: reaches.reduce((sum, { length }) => sum + length, 0) };
};

const widest = (reaches: readonly Reach[]): Reach => ({
  length: Math.max(0, ...reaches.map(({ length }) => length)),
  behind: Math.max(0, ...reaches.map(({ behind }) => behind)),
  ahead: Math.max(0, ...reaches.map(({ ahead }) => ahead)),
});

const repeated = (reach: Reach, times: number): Reach =>
  times === 0 ? none : { ...reach, length: reach.length === 0 ? 0 : reach.length * times };

/** A word boundary looks at the characters on both its sides; the content of a lookaround may look further itself. */
const reachOfAssertion = (node: AST.Assertion, isUnicode: boolean): Reach => {
  if (node.kind !== 'lookahead' && node.kind !== 'lookbehind') return { length: 0, behind: 1, ahead: 1 };
  const inner = widest(node.alternatives.map((each) => reachOfSequence(each, isUnicode)));
  const both = { behind: inner.length + inner.behind, ahead: inner.length + inner.ahead };
  return node.kind === 'lookahead'
    ? { length: 0, behind: inner.behind, ahead: both.ahead }
    : { length: 0, behind: both.behind, ahead: inner.ahead };
};

type CharacterSetNode = AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass;

/** The maximum length of a set's characters: two units with the Unicode flag. Sets of strings have no useful bound. */
const maxCharacterLength = ({ raw }: CharacterSetNode): number => {
  if (mayHoldStrings(raw)) return Infinity;
  return isPlain(raw) ? 1 : 2;
};

/** Whether the source of a set may match texts of several characters. */
export const mayHoldStrings = (raw: string): boolean => /\\q\{|\\p\{(?:RGI_|Emoji_Keycap|Basic_Emoji)/.test(raw);

/** Written in characters of one unit, without negation, properties or escapes for several characters. */
const isPlain = (raw: string): boolean =>
  /^\[(?!\^)(?:[^\\\uD800-\uDFFF]|\\[dws\\\-\]./[nrtbfv^$*+?(){}|]|\\u[0-9A-Fa-f]{4})*\]$|^\\[dws]$/.test(raw);
