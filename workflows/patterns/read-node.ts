import type { AST } from '@eslint-community/regexpp';

export type CharacterSetNode = AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass;
export type GroupNode = AST.Pattern | AST.Group | AST.CapturingGroup;
export type ExpressionNode = AST.Pattern | AST.Element;

/** A reader for each kind of node of a parsed expression. */
interface NodeReader<R> {
  group(node: GroupNode): R;
  repetition(node: AST.Quantifier): R;
  assertion(node: AST.Assertion): R;
  reference(node: AST.Backreference): R;
  character(node: AST.Character | CharacterSetNode): R;
}

export const readNode = <R>(node: ExpressionNode, reader: NodeReader<R>): R => {
  switch (node.type) {
    case 'Pattern':
    case 'Group':
    case 'CapturingGroup':
      return reader.group(node);
    case 'Quantifier':
      return reader.repetition(node);
    case 'Assertion':
      return reader.assertion(node);
    case 'Backreference':
      return reader.reference(node);
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass':
      return reader.character(node);
    default:
      return node satisfies never;
  }
};
