import type { AST } from '@eslint-community/regexpp';

import { asciiSet, type AsciiSet } from './ascii-set.js';
import type { Alphabet, Reach } from './facts.js';
import { readNode, type CharacterSetNode, type ExpressionNode, type GroupNode } from './read-node.js';

const none: Reach = { length: 0, behind: 0, ahead: 0 };

/**
 * The reach of a parsed expression; possibly too long, never too short.
 *
 * @param isUnicode whether it has the flag `u` or `v`, so that a character may be two units long
 */
export const reachOf = (expression: ExpressionNode, isUnicode: boolean): Reach =>
  readNode(expression, {
    group: ({ alternatives }) => widest(alternatives.map((each) => reachOfSequence(each, isUnicode))),
    repetition: ({ element, max }) => repeated(reachOf(element, isUnicode), max),
    assertion: (node) => reachOfAssertion(node, isUnicode),
    reference: ({ resolved }) => ({
      ...none,
      length: Math.max(...[resolved].flat().map((group) => reachOf(group, isUnicode).length)),
    }),
    character: (node) => ({ ...none, length: lengthOfCharacter(node, isUnicode) }),
  });

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
export const leastLengthOf = (expression: ExpressionNode): number =>
  readNode(expression, {
    group: ({ alternatives }) =>
      Math.min(...alternatives.map(({ elements }) => elements.reduce((sum, each) => sum + leastLengthOf(each), 0))),
    repetition: ({ element, min }) => min * leastLengthOf(element),
    assertion: () => 0,
    reference: () => 0,
    character: ({ raw }) => (mayHoldStrings(raw) ? 0 : 1),
  });

/** A word boundary looks at the characters on both its sides; the content of a lookaround may look further itself. */
const reachOfAssertion = (node: AST.Assertion, isUnicode: boolean): Reach => {
  if (node.kind !== 'lookahead' && node.kind !== 'lookbehind') return { length: 0, behind: 1, ahead: 1 };
  const inner = widest(node.alternatives.map((each) => reachOfSequence(each, isUnicode)));
  const both = { behind: inner.length + inner.behind, ahead: inner.length + inner.ahead };
  return node.kind === 'lookahead'
    ? { length: 0, behind: inner.behind, ahead: both.ahead }
    : { length: 0, behind: both.behind, ahead: inner.ahead };
};

/** The maximum length of a character, or of a set's characters: two units with the Unicode flag. Sets of strings have no useful bound. */
const lengthOfCharacter = (node: AST.Character | CharacterSetNode, isUnicode: boolean): number => {
  if (node.type === 'Character') return node.value > 0xffff ? 2 : 1;
  if (!isUnicode) return 1;
  if (mayHoldStrings(node.raw)) return Infinity;
  return isPlain(node.raw) ? 1 : 2;
};

/** Whether the source of a set may match texts of several characters. */
export const mayHoldStrings = (raw: string): boolean => /\\q\{|\\p\{(?:RGI_|Emoji_Keycap|Basic_Emoji)/.test(raw);

/** Written in characters of one unit, without negation, properties or escapes for several characters. */
export const isPlain = (raw: string): boolean =>
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

const charactersOf = (expression: ExpressionNode): Characters =>
  readNode(expression, {
    group: ({ alternatives }) => anyOf(alternatives.map(({ elements }) => elements.map(charactersOf).reduce(then, nothing))),
    repetition: ({ element, min }) => anyOf([charactersOf(element), ...(min === 0 ? [nothing] : [])]),
    assertion: () => nothing,
    reference: () => nothing, // its group is in the expression, too
    character: ({ raw }) => {
      const source = mayHoldStrings(raw) ? '[^]' : raw;
      return { any: [source], first: [source], mayBeEmpty: false };
    },
  });

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
const openIn = (expression: ExpressionNode): string =>
  readNode(expression, {
    group: (node) => oneOf(node, openInSequence),
    repetition: openInRepetition,
    assertion: (node) => endWithin(reachOf(node, true).ahead),
    reference: (node) => endWithin(reachOf(node, true).length),
    character: () => end,
  });

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
const sourceOf = (expression: AST.Element): string =>
  readNode(expression, {
    group: (node) => oneOf(node, sourceOfSequence),
    repetition: ({ element, raw }) => `${sourceOf(element)}${raw.slice(element.raw.length)}`,
    assertion: sourceOfAssertion,
    reference: (node) => anythingOf(reachOf(node, true).length),
    character: ({ raw }) => raw,
  });

const sourceOfSequence = (elements: readonly AST.Element[]): string => elements.map(sourceOf).join('');

/** An assertion with a back reference may match anything, so it is left out. */
const sourceOfAssertion = (node: AST.Assertion): string => {
  if (node.kind !== 'lookahead' && node.kind !== 'lookbehind') return node.raw;
  if (/\\[1-9k]/.test(node.raw)) return '';
  const sign = `${node.kind === 'lookahead' ? '' : '<'}${node.negate ? '!' : '='}`;
  return `(?${sign}${node.alternatives.map(({ elements }) => sourceOfSequence(elements)).join('|')})`;
};

const anythingOf = (chars: number): string => (chars === Infinity ? '(?:[^]*)' : `(?:[^]{0,${chars}})`);

const oneOf = (node: GroupNode, sourceOfEach: (elements: readonly AST.Element[]) => string): string => {
  const modifiers = node.type === 'Group' ? (node.modifiers?.raw ?? '') : '';
  return `(?${modifiers}:${node.alternatives.map(({ elements }) => sourceOfEach(elements)).join('|')})`;
};
