import type { Catalog, StateInfo, TransitionInfo } from '../../../protocol/catalog.js';
import { stateName } from '../../components/format.js';
import { layOut, margin, type Box } from '../../components/lay-out.js';
import type { Point } from '../../components/track-path.js';
import { fromEachState } from '../../fold/chart-position.js';

type Machine = Catalog['machine'];

/** A state with its position. */
export interface PlacedState extends Box {
  readonly state: StateInfo;
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

/** From the right of a state to the left of another, or the other way round. */
const directly = (from: Box, to: Box): Point[] => {
  const side = to.x >= from.x ? 1 : 0;
  return [
    { x: from.x + side * from.width, y: from.y + from.height / 2 },
    { x: to.x + (1 - side) * to.width, y: to.y + to.height / 2 },
  ];
};

/** Positions the states of a machine and its tracks from left to right. Tracks to common states are straight. */
export const layOutMachine = (machine: Machine): MachineDrawing => {
  const { states } = machine;
  const links = linksOf(machine);
  const isCommon = ({ to }: Link): boolean => links.filter((link) => link.to === to).length > fewSources;
  const isLaidOut = (link: Link): boolean =>
    link.from !== link.to &&
    (!isCommon(link) || link === links.findLast(({ to, from }) => to === link.to && !to.startsWith(from)));
  const { boxOf, trackOf } = layOut({
    boxes: states.map((state) => ({
      id: state.path,
      parent: state.parent,
      width: stateName(state.path).length * 7.5 + 26,
      height: 26,
    })),
    links: links.filter(isLaidOut).map((link) => ({ from: link.from, to: link.to, weight: isCommon(link) ? 0 : 2 })),
    space: { nodesep: 10, ranksep: 30 },
  });
  const tracks = links.map((link): PlacedTransition => {
    const { from, to, transitions } = link;
    const points = from === to ? around(boxOf(from)) : isLaidOut(link) ? trackOf(from, to) : directly(boxOf(from), boxOf(to));
    return { id: `${from} ${to}`, transitions, points, isCommon: isCommon(link) };
  });
  return inView(
    states.map((state) => ({ state, ...boxOf(state.path), isFrame: states.some(({ parent }) => parent === state.path) })),
    tracks,
  );
};

/** From a state back to itself, below it. */
const around = ({ x, y, width, height }: Box): Point[] => {
  const [left, right, bottom] = [x + width / 2 - 10, x + width / 2 + 10, y + height];
  return [
    { x: right, y: bottom },
    { x: right, y: bottom + 9 },
    { x: left, y: bottom + 9 },
    { x: left, y: bottom },
  ];
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
