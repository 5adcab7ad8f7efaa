import type { Processor } from '@mastra/core/processors';
import { InterlockError, phases } from '../../../src/index.js';
import { toGraph } from '../../../src/mastra/graph/to-graph.js';
import { laneId, type Lane } from '../../../src/mastra/workflow/guards.js';
import { toWorkflow } from '../../../src/mastra/workflow/to-workflow.js';
import type { GraphNode, GuardNode, SequenceNode } from '../../../src/pipeline/graph.js';
import { isInterlock, type Known, type KnownAgent } from '../catalog/known.js';

/** The guards of an agent by array, in the form for a replay. */
export type LaneWorkflows = Readonly<Partial<Record<`${Lane}Processors`, [ReturnType<typeof toWorkflow>]>>>;

/**
 * The guards of an agent with one guard replaced: wherever a guard with its id (or with the id `instead`) was, or at the end of
 * its arrays if there was none.
 */
export const swapGuard = ({ id, lanes }: KnownAgent, processor: Processor, instead: string = processor.id): LaneWorkflows => {
  const [node] = toGraph([processor]).nodes as [GuardNode]; // a processor is a guard
  const isThere = [...lanes.values()].some((graph) => hasGuard(graph, instead));
  const swapped = new Map([...lanes].map(([lane, graph]) => [lane, swapIn(graph, node, instead)]));
  if (!isThere)
    for (const lane of lanesOf(processor)) {
      const { nodes, id: own } = swapped.get(lane) ?? { id: laneId(id, lane), nodes: [] };
      swapped.set(lane, { kind: 'sequence', id: own, nodes: [...nodes, node] });
    }
  return Object.fromEntries([...swapped].map(([lane, graph]) => [`${lane}Processors`, [toWorkflow(graph)]]));
};

/** The agent of a recorded run. Raises `studio/not-found`. */
export const interlockAgent = ({ agents }: Known, agentId: string): KnownAgent => {
  const known = agents.find(({ id }) => id === agentId);
  if (!known || !isInterlock(known.agent)) throw new InterlockError('studio/not-found', { path: agentId });
  return known;
};

const lanesOf = (processor: Processor): Lane[] => [
  ...new Set(
    Object.values(phases)
      .filter(({ hook }) => typeof processor[hook] === 'function')
      .map(({ lane }) => lane),
  ),
];

const hasGuard = (node: GraphNode, id: string): boolean => {
  let found = false;
  mapGuards(node, (one) => {
    found ||= one.id === id;
    return one;
  });
  return found;
};

const swapIn = (graph: SequenceNode, node: GuardNode, instead: string): SequenceNode =>
  mapGuards(graph, (one) => (one.id === instead ? node : one)) as SequenceNode; // a sequence stays one

/** The same graph with other guards. */
const mapGuards = (node: GraphNode, map: (guard: GuardNode) => GuardNode): GraphNode => {
  switch (node.kind) {
    case 'guard':
      return map(node);
    case 'function':
    case 'map':
      return node;
    case 'parallel':
    case 'sequence':
      return { ...node, nodes: node.nodes.map((inner) => mapGuards(inner, map)) };
    case 'branch':
      return { ...node, arms: node.arms.map(({ when, node: inner }) => ({ when, node: mapGuards(inner, map) })) };
    default:
      return node satisfies never;
  }
};
