import type { GraphShape } from '../../../protocol/catalog.js';

/** A guard of a pipeline's graph. */
export type GuardShape = Extract<GraphShape, { kind: 'guard' }>;

/** A shape and everything inside it, in the order in which it is written. */
export const shapesIn = (shape: GraphShape): GraphShape[] => {
  switch (shape.kind) {
    case 'guard':
    case 'function':
    case 'map':
      return [shape];
    case 'sequence':
    case 'parallel':
      return [shape, ...shape.nodes.flatMap(shapesIn)];
    case 'branch':
      return [shape, ...shape.arms.flatMap(({ node }) => shapesIn(node))];
    default:
      return shape satisfies never;
  }
};

export const guardsIn = (shape: GraphShape): GuardShape[] =>
  shapesIn(shape).filter((one): one is GuardShape => one.kind === 'guard');

/** What a shape is called: its id, or what kind of block it is. */
export const shapeName = (shape: GraphShape): string => {
  switch (shape.kind) {
    case 'guard':
    case 'function':
    case 'map':
    case 'sequence':
      return shape.id;
    case 'parallel':
      return 'side by side';
    case 'branch':
      return 'every arm that matches';
    default:
      return shape satisfies never;
  }
};
