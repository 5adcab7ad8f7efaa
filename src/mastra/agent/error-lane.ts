import type { Processor } from '@mastra/core/processors';
import { phases } from '../../phase/table.js';
import { childrenOf, processorsOf, type GraphNode, type SequenceNode } from '../../pipeline/graph.js';
import { toGraph, type PipelineStep } from '../graph/to-graph.js';

interface ErrorLane {
  /** The error guards. */
  readonly own: readonly PipelineStep[];
  /** Guards of the other lanes that have a hook for failed calls. */
  readonly others: readonly PipelineStep[];
}

/**
 * The guards that run when a model call fails: first the error guards, then the error hooks of the other lanes, as in Mastra. A
 * processor in several lanes runs once.
 */
export const errorLane = ({ own, others }: ErrorLane, id: string): SequenceNode => {
  const lane = toGraph(own, id);
  const known = new Set(processorsOf(lane).map((processor) => processor.id));
  const nodes = [...lane.nodes];
  for (const node of others.map((step) => toGraph([step]))) {
    const rest = onlyErrorHooks(node, known);
    if (!rest) continue;
    nodes.push(rest);
    for (const processor of processorsOf(rest)) known.add(processor.id);
  }
  return { kind: 'sequence', id, nodes };
};

/** True if a processor in a step has a hook for failed calls. */
export const hasErrorHook = (step: PipelineStep): boolean => processorsOf(toGraph([step])).some(canMend);

const canMend = (processor: Processor): boolean => typeof processor[phases.apiError.hook] === 'function';

/** A node without effect, for an arm without error hooks. */
const idleNode = (index: number): GraphNode => ({
  kind: 'function',
  id: `idle.${index}`,
  run: () => undefined,
  phases: new Set(),
});

/** The graph without processors that have no error hook or are already in the lane. */
const onlyErrorHooks = (node: GraphNode, known: ReadonlySet<string>): GraphNode | undefined => {
  switch (node.kind) {
    case 'guard':
      return canMend(node.processor) && !known.has(node.id) ? node : undefined;
    case 'function':
    case 'map':
      return node;
    case 'sequence':
    case 'parallel': {
      const nodes = childrenOf(node).flatMap((inner) => onlyErrorHooks(inner, known) ?? []);
      return nodes.length > 0 ? { ...node, nodes } : undefined;
    }
    case 'branch': {
      const own = node.arms.map((arm) => onlyErrorHooks(arm.node, known));
      if (!own.some(Boolean)) return undefined;
      // Its condition still decides whether `otherwise` runs.
      return { ...node, arms: node.arms.map(({ when }, index) => ({ when, node: own[index] ?? idleNode(index) })) };
    }
    default:
      return node satisfies never;
  }
};
