import type { PhaseRow } from '../phase/row.js';
import type { GuardNode, SequenceNode } from './graph.js';
import {
  allRows,
  counts,
  guardsFrom,
  isGuard,
  locationOf,
  locationsFrom,
  rowsOf,
  streamRow,
  type GraphLocation,
  type Hold,
} from './verify/check.js';
import { computed } from '../phase/plain-data.js';

/** A guard that content waits for under `hold: 'auto'`, and for how long. */
interface Holding {
  readonly place: GraphLocation;
  readonly hold: Exclude<Hold, 'none'>;
  /** The hook that the content waits for. */
  readonly hook: string;
}

/** The content that no later guard of an array can reject or edit is sent at once: what the rest waits for. Without an array, all hooks run. */
export const holdOf = (graph: SequenceNode, lane?: PhaseRow['lane']): Hold => {
  const known = computed(holds, graph, () => new Map<typeof lane, Hold>());
  return computed(known, lane, () => {
    const found = holdingIn(locationOf(graph, { lane })).map(({ hold }) => hold);
    return found.includes('run') ? 'run' : (found[0] ?? 'none');
  });
};

/** Whether a guard of an agent's output may reject or edit results of tools: then output of a running tool waits for its verdict, too. */
export const holdsToolOutput = (graph: SequenceNode): boolean =>
  locationsFrom(locationOf(graph, { lane: 'output' })).some((place) => rowsAt(place).some(({ cadence }) => cadence === 'tool'));

/** By graph and array: an agent's own guards are the same graph in every call. */
const holds = new WeakMap<SequenceNode, Map<PhaseRow['lane'] | undefined, Hold>>();

/** The guards at a location and inside it that content waits for. */
export const holdingIn = (root: GraphLocation): Holding[] => locationsFrom(root).flatMap(holdingAt);

const holdingAt = (place: GraphLocation): Holding[] => {
  const { lane } = place.position;
  const late = rowsAt(place).filter((row) => isLate(row, 'step') && (lane === undefined || row.lane === lane));
  const last = late.find((row) => isLate(row, 'run')) ?? late[0];
  return last ? [{ place, hold: isLate(last, 'run') ? 'run' : 'step', hook: last.hook }] : [];
};

/** Whether a hook checks content after its stream: of a step, or only of the run. */
export const isLate = ({ loopState }: PhaseRow, of: Holding['hold']): boolean =>
  loopState === 'finishing' || (of === 'step' && loopState === 'step.reviewing');

/** The rows in which a node may reject or edit content that its stream hook has not checked. */
const rowsAt = (place: GraphLocation): readonly PhaseRow[] => {
  const { node } = place;
  if (isGuard(place)) return holdsNothing(place.node) || !counts(place) ? [] : rowsOf(place);
  if (node.kind === 'function') return allRows.filter(({ phase }) => node.phases?.has(phase) !== false);
  // A map returns the payload of the nodes around it.
  if (node.kind === 'sequence' && node.nodes.some(({ kind }) => kind === 'map'))
    return place.children.flatMap(guardsFrom).filter(counts).flatMap(rowsOf);
  return [];
};

/** A guard that only reads, that has a hold of its own, or whose stream hook has checked everything. */
const holdsNothing = ({ traits, policy, processor }: GuardNode): boolean =>
  policy?.reads === true ||
  policy?.hold === 'none' ||
  traits?.decides?.length === 0 ||
  (traits?.checksStream === true && typeof processor[streamRow.hook] === 'function');
