import type { AST } from '@eslint-community/regexpp';
import { reachOf } from './regex-reach.js';

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
