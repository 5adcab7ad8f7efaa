import { graphlib, layout } from '@dagrejs/dagre';
import type { Catalog, StateInfo, TransitionInfo } from '../../../protocol/catalog.js';
import type { Point } from '../../components/track-path.js';
import { fromEachState } from '../../fold/root-transitions.js';

type Machine = Catalog['machine'];

/** A state with its position. */
export interface PlacedState extends Point {
  readonly state: StateInfo;
  readonly width: number;
  readonly height: number;
  /** It contains other states. */
  readonly isFrame: boolean;
}

/** All transitions from one state to another, as one track. */
export interface PlacedTransition {
  readonly id: string;
  readonly transitions: readonly TransitionInfo[];
  readonly points: readonly Point[];
  /** Many states lead there: drawn only if it was taken. */
  readonly isCommon: boolean;
}

export interface MachineDrawing {
  readonly width: number;
  readonly height: number;
  readonly states: readonly PlacedState[];
  readonly transitions: readonly PlacedTransition[];
}

/** With more sources than this, a track from each would hide the others. */
const fewSources = 4;

export const stateName = ({ path }: StateInfo): string => path.slice(path.lastIndexOf('.') + 1);

/** A track ends at a leaf: the first state inside, or the last. */
const leafOf = (path: string, states: readonly StateInfo[], end: 'first' | 'last'): string => {
  const children = states.filter(({ parent }) => parent === path);
  const next = end === 'first' ? (children.find(({ isInitial }) => isInitial) ?? children[0]) : children.at(-1);
  return next ? leafOf(next.path, states, end) : path;
};

interface Link {
  readonly from: string;
  readonly to: string;
  readonly transitions: readonly TransitionInfo[];
}

const linksOf = (machine: Machine): Link[] => {
  const links = new Map<string, Link>();
  for (const transition of fromEachState(machine)) {
    const from = leafOf(transition.from, machine.states, 'last');
    const to = leafOf(transition.to, machine.states, 'first');
    const key = `${from} ${to}`;
    links.set(key, { from, to, transitions: [...(links.get(key)?.transitions ?? []), transition] });
  }
  return [...links.values()];
};

type Placed = Point & { readonly width: number; readonly height: number };

/** From the right of a state to the left of another, or the other way round. */
const directly = (from: Placed, to: Placed): Point[] => {
  const side = to.x >= from.x ? 1 : -1;
  return [
    { x: from.x + (side * from.width) / 2, y: from.y },
    { x: to.x - (side * to.width) / 2, y: to.y },
  ];
};

const margin = 8;

/** Positions the states of a machine and its tracks from left to right, by dagre. Tracks to common states are straight. */
export const layOutMachine = (machine: Machine): MachineDrawing => {
  const { states } = machine;
  const links = linksOf(machine);
  const isCommon = ({ to }: Link): boolean => links.filter((link) => link.to === to).length > fewSources;
  const isLaidOut = (link: Link): boolean =>
    !isCommon(link) || link === links.findLast(({ to, from }) => to === link.to && !to.startsWith(from));
  const graph = new graphlib.Graph({ compound: true }).setGraph({
    rankdir: 'LR',
    nodesep: 10,
    ranksep: 30,
    marginx: margin,
    marginy: margin,
  });
  for (const state of states) graph.setNode(state.path, { width: stateName(state).length * 7.5 + 26, height: 26 });
  for (const { path, parent } of states) if (parent !== undefined) graph.setParent(path, parent);
  for (const link of links) if (isLaidOut(link)) graph.setEdge(link.from, link.to, { weight: isCommon(link) ? 0 : 2 });
  layout(graph);
  const nodeAt = (path: string): Placed => graph.node(path) as Placed; // each state is one
  const tracks = links.map((link): PlacedTransition => {
    const { from, to, transitions } = link;
    const points = isLaidOut(link) ? (graph.edge(from, to) as { points: Point[] }).points : directly(nodeAt(from), nodeAt(to));
    return { id: `${from} ${to}`, transitions, points, isCommon: isCommon(link) };
  });
  return inView(
    states.map((state) => placeOf(state, nodeAt(state.path), states)),
    tracks,
  );
};

const placeOf = (state: StateInfo, { x, y, width, height }: Placed, states: readonly StateInfo[]): PlacedState => {
  const isFrame = states.some(({ parent }) => parent === state.path);
  return { state, x: x - width / 2, y: y - height / 2, width, height, isFrame };
};

/** The drawing with its leftmost and topmost point inside; frames come first, below their states. */
const inView = (states: readonly PlacedState[], transitions: readonly PlacedTransition[]): MachineDrawing => {
  const corners = states.flatMap(({ x, y, width, height }) => [
    { x, y },
    { x: x + width, y: y + height },
  ]);
  const all = [...corners, ...transitions.flatMap(({ points }) => points)];
  const [dx, dy] = [margin - Math.min(...all.map(({ x }) => x)), margin - Math.min(...all.map(({ y }) => y))];
  const moved = <P extends Point>(point: P): P => ({ ...point, x: point.x + dx, y: point.y + dy });
  return {
    width: Math.max(...all.map(({ x }) => x)) + dx + margin,
    height: Math.max(...all.map(({ y }) => y)) + dy + margin,
    states: states.map(moved).toSorted((a, b) => Number(b.isFrame) - Number(a.isFrame)),
    transitions: transitions.map((track) => ({ ...track, points: track.points.map(moved) })),
  };
};
