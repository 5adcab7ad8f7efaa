import { childrenOf, type GraphNode } from '../../pipeline/graph.js';
import { foreignPhases } from './foreign-step.js';

/** Whether nothing in a graph asks for Mastra itself: its guards say so, and no step in it was made with Mastra's builder. */
export const isPortable = (node: GraphNode): boolean => {
  if (node.kind === 'guard') return node.traits?.portable === true;
  if (node.kind === 'function') return node.phases !== foreignPhases;
  return childrenOf(node).every(isPortable);
};
