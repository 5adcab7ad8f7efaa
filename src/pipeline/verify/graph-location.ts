import type { Phase, PhaseRow } from '../../phase/row.js';
import { phaseNames, phaseRow } from '../../phase/table.js';
import { childrenOf, nameOf, type GraphNode, type GuardNode, type SequenceNode } from '../graph.js';

export type Lane = PhaseRow['lane'];

/** The lane and position of a graph. */
interface LanePosition {
  /** The lane of the agent; undefined for a graph without an agent, all of whose hooks may run. */
  readonly lane?: Lane;
  /** Whether the graph is an array of the agent, whose nodes were added one by one. */
  readonly isArray?: boolean;
}

/** A node and its location in a graph. */
export interface GraphLocation<Node extends GraphNode = GraphNode> {
  readonly node: Node;
  /** The path to the node; run events identify guards by it. */
  readonly path: string;
  /** The path to its parent. */
  readonly within: string;
  readonly position: LanePosition;
  readonly children: readonly GraphLocation[];
}

export type GuardLocation = GraphLocation<GuardNode>;

/** The locations of a graph, from its root. */
export const locationOf = (graph: SequenceNode, position: LanePosition = {}): GraphLocation => {
  const placed = (node: GraphNode, path: string, within: string): GraphLocation => ({
    node,
    path,
    within,
    position,
    children: childrenOf(node).map((child, index) => placed(child, `${path}/${nameOf(child, index)}`, path)),
  });
  return placed(graph, graph.id, 'pipeline');
};

/** A location and all locations inside it, in their written order. */
export const locationsFrom = (place: GraphLocation): GraphLocation[] => [place, ...place.children.flatMap(locationsFrom)];

export const isGuard = (place: GraphLocation): place is GuardLocation => place.node.kind === 'guard';

/** The guards at a location and inside it. */
export const guardsFrom = (place: GraphLocation): GuardLocation[] => locationsFrom(place).filter(isGuard);

const allRows: readonly PhaseRow[] = phaseNames.map((phase) => phaseRow<Phase>(phase));

/** The row whose hook gets the stream, chunk by chunk. */
export const streamRow = allRows.find(({ cadence }) => cadence === 'chunk') as PhaseRow; // the table has one

/** The rows that a guard has hooks for. */
const hooksOf = ({ node: { processor } }: GuardLocation): readonly PhaseRow[] =>
  allRows.filter(({ hook }) => typeof processor[hook] === 'function');

/** The rows in which a guard runs at its location; hooks for failed calls run in every lane. */
export const rowsOf = (place: GuardLocation): readonly PhaseRow[] => {
  const { lane } = place.position;
  return hooksOf(place).filter((row) => lane === undefined || row.lane === lane || row.lane === 'error');
};

/** The names of a guard's hooks, for people. */
export const hookNamesOf = (place: GuardLocation): string =>
  hooksOf(place)
    .map(({ hook }) => hook)
    .join(', ');

/** Whether a guard has hooks, but none that runs at its location. */
export const isIdle = (place: GuardLocation): boolean => rowsOf(place).length === 0 && hooksOf(place).length > 0;

/** Whether a guard's verdict counts: a shadow's verdict is only recorded. */
export const counts = ({ node: { policy } }: GuardLocation): boolean => !policy?.shadow;

/** Whether a guard declares this kind of verdict, and the verdict counts. */
export const mayDecide = (place: GuardLocation, verdict: 'trip' | 'retry' | 'edit'): boolean =>
  counts(place) && place.node.traits?.decides?.includes(verdict) === true;
