import type { AST } from '@eslint-community/regexpp';

/** How far an expression reaches, in UTF-16 units; `Infinity` where it has no bound. */
interface Reach {
  /** The longest match. */
  readonly length: number;
  /** How far before a match it looks. */
  readonly behind: number;
  /** How far after the place that it has come to it looks. */
  readonly ahead: number;
}

const none: Reach = { length: 0, behind: 0, ahead: 0 };

/**
 * The reach of a parsed expression; more than the truth where that is hard to tell, never less.
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

/** An edge looks at the characters on both its sides; what a lookaround looks for may look further itself. */
const reachOfAssertion = (node: AST.Assertion, isUnicode: boolean): Reach => {
  if (node.kind !== 'lookahead' && node.kind !== 'lookbehind') return { length: 0, behind: 1, ahead: 1 };
  const inner = widest(node.alternatives.map((each) => reachOfSequence(each, isUnicode)));
  const both = { behind: inner.length + inner.behind, ahead: inner.length + inner.ahead };
  return node.kind === 'lookahead'
    ? { length: 0, behind: inner.behind, ahead: both.ahead }
    : { length: 0, behind: both.behind, ahead: inner.ahead };
};

type CharacterSetNode = AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass;

/** A set of a Unicode expression may hold characters of two units; sets that hold strings have no bound that is worth having. */
const maxCharacterLength = ({ raw }: CharacterSetNode): number => {
  if (mayHoldStrings(raw)) return Infinity;
  return isPlain(raw) ? 1 : 2;
};

/** Whether the source of a set may stand for texts of several characters. */
export const mayHoldStrings = (raw: string): boolean => /\\q\{|\\p\{(?:RGI_|Emoji_Keycap|Basic_Emoji)/.test(raw);

/** Written in characters of one unit, without negation, properties or escapes that stand for many. */
const isPlain = (raw: string): boolean =>
  /^\[(?!\^)(?:[^\\\uD800-\uDFFF]|\\[dws\\\-\]./[nrtbfv^$*+?(){}|]|\\u[0-9A-Fa-f]{4})*\]$|^\\[dws]$/.test(raw);
