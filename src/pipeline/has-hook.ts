import type { PhaseRow } from '../phase/row.js';
import type { GraphNode } from './graph.js';

/** Whether a node has anything to do in a phase; a map alone guards nothing. */
export const hasHookFor = (node: GraphNode, row: Pick<PhaseRow, 'phase' | 'hook'>): boolean => {
  switch (node.kind) {
    case 'guard':
      return typeof node.processor[row.hook] === 'function';
    case 'function':
      return node.phases?.has(row.phase) !== false;
    case 'map':
      return false;
    case 'parallel':
    case 'sequence':
      return node.nodes.some((inner) => hasHookFor(inner, row));
    case 'branch':
      return node.arms.some((arm) => hasHookFor(arm.node, row));
    default:
      return node satisfies never;
  }
};
