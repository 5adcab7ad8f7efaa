import type { Phase, PhaseRow } from '../../phase/row.js';
import { phaseNames, phaseRow } from '../../phase/table.js';
import { childrenOf, type GraphNode, type GuardNode, nameOf, type SequenceNode } from '../graph.js';

/** One check of `verify`. Its code is its key in the table of errors, which also has the remedy. */
export interface Check {
  /** `error`: the configuration cannot work, and is rejected before anything runs. `warning`: it works, but may differ from its appearance. */
  readonly severity: 'error' | 'warning';
  /** The places with the defect; each defect is one place. */
  find(subject: Subject): readonly DefectLocation[];
}

/** The subject of verification: one pipeline, or all arrays of an agent. */
export interface Subject {
  /** Its name, for findings about the whole. */
  readonly id: string;
  /** Each pipeline or array. */
  readonly roots: readonly GraphLocation[];
  /** Whether some arrays are unknown. */
  readonly isPartial?: boolean;
  /** Maximum number of granted retries in one run; undefined if unknown. */
  readonly maxProcessorRetries?: number;
  /** The content that waits for its guards; undefined if unknown. */
  readonly hold?: Hold | 'auto';
  readonly latency?: LatencyBudget;
}

/** The content that an agent buffers until its guards have judged it: none, the text of a step, or that of the whole run. */
export type Hold = 'none' | 'step' | 'run';

/** Maximum time that guards may delay a run. */
interface LatencyBudget {
  readonly budgetMs: number;
  /** The run with the highest cost, given the cost of each state of the loop with guards. */
  longestRun(costs: StateCosts): LongestRun;
}

/** Milliseconds that guards may take each time the loop is in a state. */
export type StateCosts = ReadonlyMap<string, number>;

export interface LongestRun {
  readonly ms: number;
  readonly moments: CounterExample;
}

/** A run of the loop: its states in order, and the relevant events in them. */
export type CounterExample = readonly Moment[];

export interface Moment {
  /** A state of the loop, as in the run's `state-enter` events. */
  readonly state: string;
  readonly happens?: string;
}

/** The required content of a counter-example: the event, its state, and the outcome of that state. */
export interface Scene {
  /** The state of the event. */
  readonly state: string;
  readonly happens: string;
  /** The outcome of that state's activity; undefined if it continues. */
  readonly ends?: 'trip' | 'retry' | 'failed';
  /** An event in an earlier state. */
  readonly before?: Moment;
}

/** A place with a defect. */
export interface DefectLocation {
  readonly path: string;
  /** The specific fault, in one clause, before the table's advice. */
  readonly detail?: string;
  /** The run that shows it, or the required content of such a run. */
  readonly shows?: Scene | CounterExample;
}

type Lane = PhaseRow['lane'];

/** The array and position of a graph. */
interface LanePosition {
  /** The array of the agent; undefined for a graph without an agent, all of whose hooks may run. */
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

/** All locations of a subject. */
export const placesIn = ({ roots }: Subject): GraphLocation[] => roots.flatMap(locationsFrom);

/** All guards of a subject. */
export const guardsIn = ({ roots }: Subject): GuardLocation[] => roots.flatMap(guardsFrom);

/** Finds the guards for which something is true. */
export const guardsWhere =
  (holds: (guard: GuardLocation) => boolean): Check['find'] =>
  (subject) =>
    guardsIn(subject).flatMap((guard) => (holds(guard) ? [{ path: guard.path }] : []));

export const allRows: readonly PhaseRow[] = phaseNames.map((phase) => phaseRow<Phase>(phase));

/** The row whose hook gets the stream, chunk by chunk. */
export const streamRow = phaseRow<Phase>('outputStream');

/** The rows that a guard has hooks for. */
const hooksOf = ({ node: { processor } }: GuardLocation): readonly PhaseRow[] =>
  allRows.filter(({ hook }) => typeof processor[hook] === 'function');

/** The rows in which a guard runs at its location; hooks for failed calls run in every array. */
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
