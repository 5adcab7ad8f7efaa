import type { GraphShape } from './catalog.js';

/** A guard of a pipeline's graph. */
export type GuardShape = Extract<GraphShape, { kind: 'guard' }>;

/** A shape and everything inside it, in source order. */
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
