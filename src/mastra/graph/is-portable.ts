import { childrenOf, type GraphNode } from '../../pipeline/graph.js';
import { foreignPhases } from './foreign-step.js';

/** True if a graph does not need Mastra: all its guards are portable, and no step was created with Mastra's builder. */
export const isPortable = (node: GraphNode): boolean => {
  if (node.kind === 'guard') return node.traits?.portable === true;
  if (node.kind === 'function') return node.phases !== foreignPhases;
  return childrenOf(node).every(isPortable);
};
