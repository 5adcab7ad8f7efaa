import type { AST } from '@eslint-community/regexpp';

import { asciiSet, type AsciiSet } from './ascii-set.js';
import type { Alphabet, Reach } from './facts.js';

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

/** The least length of a match, in UTF-16 units. */
export const leastLengthOf = (node: AST.Pattern | AST.Element): number => {
  switch (node.type) {
    case 'Pattern':
    case 'Group':
    case 'CapturingGroup':
      return Math.min(...node.alternatives.map(({ elements }) => elements.reduce((sum, each) => sum + leastLengthOf(each), 0)));
    case 'Quantifier':
      return node.min * leastLengthOf(node.element);
    case 'Assertion':
    case 'Backreference':
      return 0;
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass':
      return mayHoldStrings(node.raw) ? 0 : 1;
    default:
      return node satisfies never;
  }
};

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
const mayHoldStrings = (raw: string): boolean => /\\q\{|\\p\{(?:RGI_|Emoji_Keycap|Basic_Emoji)/.test(raw);

/** Written in characters of one unit, without negation, properties or escapes for several characters. */
const isPlain = (raw: string): boolean =>
  /^\[(?!\^)(?:[^\\\uD800-\uDFFF]|\\[dws\\\-\]./[nrtbfv^$*+?(){}|]|\\u[0-9A-Fa-f]{4})*\]$|^\\[dws]$/.test(raw);

/** The alphabet of a parsed expression. */
export const alphabetOf = ({ pattern, flags }: Pick<AST.RegExpLiteral, 'pattern' | 'flags'>): Alphabet => {
  const unicode = flags.unicodeSets ? 'v' : flags.unicode ? 'u' : '';
  const setOf = (sources: readonly string[]): AsciiSet => {
    const source = `^(?:${[...new Set(sources)].join('|') || '(?!)'})$`;
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
      return anyOf(node.alternatives.map(({ elements }) => elements.map(charactersOf).reduce(then, nothing)));
    case 'Quantifier':
      return anyOf([charactersOf(node.element), ...(node.min === 0 ? [nothing] : [])]);
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

const anyOf = (ways: readonly Characters[]): Characters => ({
  any: ways.flatMap(({ any }) => any),
  first: ways.flatMap(({ first }) => first),
  mayBeEmpty: ways.some(({ mayBeEmpty }) => mayBeEmpty),
});

/** The end of the text, with the flag `m` too. `(?![^])` would be shorter, and is found inside a surrogate pair by V8. */
const end = String.raw`$(?![\n\r\u2028\u2029])`;
const never = '(?!)';

/**
 * The source of an expression that matches where `pattern` could still match, or match differently, if the text continued: from
 * there to the end of the text, all characters fit. The text before a place is known, so lookbehinds stay; the text for a
 * lookahead may be still to come. It may match in too many places, never in too few.
 */
export const openSourceOf = (pattern: AST.Pattern): string => openIn(pattern);

/** The text ends before, or in the middle of, the node's match. */
const openIn = (node: AST.Pattern | AST.Element): string => {
  switch (node.type) {
    case 'Pattern':
    case 'Group':
    case 'CapturingGroup':
      return oneOf(
        node,
        node.alternatives.map(({ elements }) => openInSequence(elements)),
      );
    case 'Quantifier':
      return openInRepetition(node);
    case 'Assertion':
      return endWithin(reachOf(node, true).ahead);
    case 'Backreference':
      return endWithin(reachOf(node, true).length);
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass':
      return end;
    default:
      node satisfies never;
      return never;
  }
};

const openInSequence = ([first, ...rest]: readonly AST.Element[]): string =>
  first ? `(?:${openIn(first)}|${sourceOf(first)}${openInSequence(rest)})` : never;

const openInRepetition = ({ element, max }: AST.Quantifier): string => {
  if (max === 0) return never;
  const before = max === Infinity ? '*' : `{0,${max - 1}}`;
  return `(?:${sourceOf(element)})${before}${openIn(element)}`;
};

/** The end of the text is at most this many characters away. */
const endWithin = (chars: number): string => {
  if (chars === 0) return never;
  return chars === Infinity ? '[^]*' : `[^]{0,${chars - 1}}${end}`;
};

/** The node without names and numbers of groups, because it may occur in the source several times. */
const sourceOf = (node: AST.Element): string => {
  switch (node.type) {
    case 'Group':
    case 'CapturingGroup':
      return oneOf(
        node,
        node.alternatives.map(({ elements }) => elements.map(sourceOf).join('')),
      );
    case 'Quantifier':
      return `${sourceOf(node.element)}${node.raw.slice(node.element.raw.length)}`;
    case 'Assertion':
      return sourceOfAssertion(node);
    case 'Backreference':
      return anythingOf(reachOf(node, true).length);
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass':
      return node.raw;
    default:
      node satisfies never;
      return never;
  }
};

/** An assertion with a back reference may match anything, so it is left out. */
const sourceOfAssertion = (node: AST.Assertion): string => {
  if (node.kind !== 'lookahead' && node.kind !== 'lookbehind') return node.raw;
  if (/\\[1-9k]/.test(node.raw)) return '';
  const sign = `${node.kind === 'lookahead' ? '' : '<'}${node.negate ? '!' : '='}`;
  return `(?${sign}${node.alternatives.map(({ elements }) => elements.map(sourceOf).join('')).join('|')})`;
};

const anythingOf = (chars: number): string => (chars === Infinity ? '(?:[^]*)' : `(?:[^]{0,${chars}})`);

const oneOf = (node: AST.Pattern | AST.Group | AST.CapturingGroup, alternatives: readonly string[]): string => {
  const modifiers = node.type === 'Group' ? (node.modifiers?.raw ?? '') : '';
  return `(?${modifiers}:${alternatives.join('|')})`;
};
