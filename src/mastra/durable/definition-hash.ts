import { createHash } from 'node:crypto';
import { loopMachine } from '../../loop/machine.js';
import type { Run } from '../../loop/run.js';
import { childrenOf, type GraphNode } from '../../pipeline/graph.js';

/**
 * What code a run is run by, as far as its journal depends on it: the statechart, and the guards of each lane in their order. A run
 * that was begun by other code cannot be known to come to the same places.
 */
export const definitionHash = ({ options: { lanes } }: Run): string => {
  const guards = Object.entries(lanes).map(([lane, plan]) => [lane, plan && shapeOf(plan.graph)]);
  return createHash('sha256')
    .update(JSON.stringify([loopMachine.config, guards]))
    .digest('hex')
    .slice(0, 16);
};

const shapeOf = (node: GraphNode): unknown => [node.kind, 'id' in node ? node.id : '', childrenOf(node).map(shapeOf)];
