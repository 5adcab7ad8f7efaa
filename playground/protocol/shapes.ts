import type { GraphShape } from './catalog.js';

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

/** Branches of a block run side by side. */
const branchesOf = (shape: GraphShape): readonly GraphShape[] => {
  if (shape.kind === 'parallel') return shape.nodes;
  return shape.kind === 'branch' ? shape.arms.map(({ node }) => node) : [];
};

/** The paths of guards beside a guard that blocked: those among them that have said nothing were canceled with their branch. */
export const besideTrips = (shape: GraphShape, tripped: ReadonlySet<string>): ReadonlySet<string> => {
  const hasTrip = (branch: GraphShape): boolean => guardsIn(branch).some(({ path }) => tripped.has(path));
  const beside = shapesIn(shape).flatMap((block) => {
    const branches = branchesOf(block);
    return branches.some(hasTrip) ? branches.filter((branch) => !hasTrip(branch)).flatMap(guardsIn) : [];
  });
  return new Set(beside.map(({ path }) => path));
};
