import type { Catalog, StateInfo, TransitionInfo } from '../../../protocol/catalog.js';
import { fromEachState } from '../../fold/root-transitions.js';
import type { Point } from '../../components/track-path.js';
import { shareLanes } from './share-lanes.js';

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
  readonly states: readonly PlacedState[];
  readonly transitions: readonly PlacedTransition[];
}

const sizes = { height: 26, gap: 9, pad: 12, title: 24, lane: 9 } as const;

/** With more sources than this, a track from each would hide the others. */
const fewSources = 4;

export const stateName = ({ path }: StateInfo): string => path.slice(path.lastIndexOf('.') + 1);

const widthOf = (state: StateInfo): number => Math.max(92, stateName(state).length * 8.6 + 40);

/** A part of the drawing around the line at x = 0. */
interface Block {
  readonly halfWidth: number;
  readonly height: number;
  readonly states: readonly PlacedState[];
}

const move = (block: Block, dx: number, dy: number): PlacedState[] =>
  block.states.map((placed) => ({ ...placed, x: placed.x + dx, y: placed.y + dy }));

/** Blocks one below the other on the line. */
const stack = (blocks: readonly Block[]): Block => {
  const states: PlacedState[] = [];
  let y = 0;
  for (const block of blocks) {
    states.push(...move(block, 0, y));
    y += block.height + sizes.gap;
  }
  return { halfWidth: Math.max(0, ...blocks.map(({ halfWidth }) => halfWidth)), height: Math.max(0, y - sizes.gap), states };
};

/** Blocks next to each other, with the line between them. */
const row = (blocks: readonly Block[]): Block => {
  const width = blocks.reduce((sum, { halfWidth }) => sum + 2 * halfWidth + sizes.pad, -sizes.pad);
  const states: PlacedState[] = [];
  let x = -width / 2;
  for (const block of blocks) {
    states.push(...move(block, x + block.halfWidth, 0));
    x += 2 * block.halfWidth + sizes.pad;
  }
  return { halfWidth: width / 2, height: Math.max(0, ...blocks.map(({ height }) => height)), states };
};

const framed = (state: StateInfo, inside: Block): Block => {
  const halfWidth = inside.halfWidth + sizes.pad;
  const height = inside.height + sizes.title + sizes.pad;
  const box: PlacedState = { state, x: -halfWidth, y: 0, width: 2 * halfWidth, height, isFrame: true };
  return { halfWidth, height, states: [box, ...move(inside, 0, sizes.title)] };
};

const blockOf = (state: StateInfo, machine: Machine): Block => {
  const children = machine.states.filter(({ parent }) => parent === state.path);
  if (children.length === 0) {
    const width = widthOf(state);
    const box: PlacedState = { state, x: -width / 2, y: 0, width, height: sizes.height, isFrame: false };
    return { halfWidth: width / 2, height: sizes.height, states: [box] };
  }
  const blocks = children.map((child) => blockOf(child, machine));
  return framed(state, state.type === 'parallel' ? row(blocks) : stack(blocks));
};

/** States with many sources. */
const commonStates = ({ states, transitions }: Machine): Set<string> => {
  const common = states.filter(({ path }) => {
    const sources = new Set(transitions.filter(({ to }) => to === path).map(({ from }) => from));
    return sources.size > fewSources;
  });
  return new Set(common.map(({ path }) => path));
};

/** States one below the other, in source order; final states with many sources are in one row below all others. */
const placeStates = (machine: Machine, common: ReadonlySet<string>): PlacedState[] => {
  const top = machine.states.filter(({ parent }) => parent === undefined);
  const isEnd = ({ type, path }: StateInfo): boolean => type === 'final' && common.has(path);
  const line = top.filter((state) => !isEnd(state)).map((state) => blockOf(state, machine));
  const ends = top.filter(isEnd).map((state) => blockOf(state, machine));
  return [...stack([...line, row(ends)]).states];
};

/** A track ends at a leaf, or at the frame of a parallel state: all its regions are entered and left together. */
const endOf = (path: string, { states }: Machine, end: 'first' | 'last'): string => {
  const children = states.filter(({ parent }) => parent === path);
  const isWhole = children.length === 0 || states.find((state) => state.path === path)?.type === 'parallel';
  if (isWhole) return path;
  const next = end === 'first' ? (children.find(({ isInitial }) => isInitial) ?? children[0]) : children.at(-1);
  return next ? endOf(next.path, { states, transitions: [] }, end) : path;
};

interface Link {
  readonly id: string;
  readonly transitions: readonly TransitionInfo[];
  readonly from: PlacedState;
  readonly to: PlacedState;
}

const linksOf = (machine: Machine, places: ReadonlyMap<string, PlacedState>): Link[] => {
  const links = new Map<string, Link>();
  for (const transition of fromEachState(machine)) {
    const from = places.get(endOf(transition.from, machine, 'last'));
    const to = places.get(endOf(transition.to, machine, 'first'));
    if (!from || !to) continue;
    const id = `${from.state.path} ${to.state.path}`;
    links.set(id, { id, from, to, transitions: [...(links.get(id)?.transitions ?? []), transition] });
  }
  return [...links.values()];
};

const middle = ({ x, width }: PlacedState): number => x + width / 2;

const onOneLine = (a: PlacedState, b: PlacedState): boolean => Math.abs(middle(a) - middle(b)) < 1;

/** Whether no state is on the line between the two. */
const areNeighbours = ({ from, to }: Link, states: readonly PlacedState[]): boolean => {
  const bottom = from.y + from.height;
  const isBetween = (other: PlacedState): boolean =>
    other !== from && other !== to && onOneLine(other, from) && other.y >= bottom && other.y + other.height <= to.y;
  return onOneLine(from, to) && bottom <= to.y && !states.some(isBetween);
};

const straight = ({ from, to }: Link): Point[] => [
  { x: middle(from), y: from.y + from.height },
  { x: middle(to), y: to.y },
];

/** Leaves at one side, runs along a lane, and enters at the same side; a loop if both ends are the same. */
const siding = ({ from, to }: Link, x: number): Point[] => {
  const side = (place: PlacedState): number => (x > middle(place) ? place.x + place.width : place.x);
  const isLoop = from === to;
  const [start, end] = [from.y + from.height * (isLoop ? 0.75 : 0.62), to.y + to.height * (isLoop ? 0.25 : 0.38)];
  return [
    { x: side(from), y: start },
    { x, y: start },
    { x, y: end },
    { x: side(to), y: end },
  ];
};

/** Leaves at the right, goes down, and enters one of the final states from above. */
const descent = ({ from, to }: Link, x: number): Point[] => {
  const [start, turn] = [from.y + from.height * 0.62, to.y - sizes.gap / 2];
  return [
    { x: from.x + from.width, y: start },
    { x, y: start },
    { x, y: turn },
    { x: middle(to), y: turn },
    { x: middle(to), y: to.y },
  ];
};

const holds = (frame: PlacedState, inner: PlacedState): boolean => inner.state.path.startsWith(`${frame.state.path}.`);

/** The start of the lanes next to two states: next to the states at the same height, and inside the region that contains both. */
const sideEdge = ({ from, to }: Link, states: readonly PlacedState[]): number => {
  const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y + from.height, to.y + to.height)];
  const holders = states.filter((frame) => holds(frame, from) && holds(frame, to));
  const region = holders.at(-1);
  const isPassed = (other: PlacedState): boolean =>
    other.y < bottom &&
    other.y + other.height > top &&
    !holders.includes(other) &&
    !holds(other, from) &&
    !holds(other, to) &&
    (region === undefined || holds(region, other));
  return Math.max(...states.filter(isPassed).map(({ x, width }) => x + width));
};

/** Positions the states of a machine, and its tracks: forward down the line, back at its left. */
export const layOutMachine = (machine: Machine): MachineDrawing => {
  const common = commonStates({ ...machine, transitions: fromEachState(machine) });
  const states = placeStates(machine, common);
  const links = linksOf(machine, new Map(states.map((placed) => [placed.state.path, placed])));
  const isCommon = ({ to }: Link): boolean => common.has(to.state.path);
  const sideLinks = links.filter((link) => isCommon(link) || !areNeighbours(link, states));
  const isBack = ({ from, to }: Link): boolean => to.y <= from.y;
  const span = ({ from, to }: Link) => ({ from: Math.min(from.y, to.y), to: Math.max(from.y, to.y) });
  const lanes = new Map<Link, number>();
  for (const isOfSide of [isBack, (link: Link) => !isBack(link)]) {
    const side = sideLinks.filter(isOfSide);
    const ways = side.filter((link) => !isCommon(link));
    const shared = shareLanes(ways.map(span));
    // Tracks that are drawn only if they were taken share one lane outside of the others.
    for (const link of side) lanes.set(link, shared[ways.indexOf(link)] ?? Math.max(-1, ...shared) + 1);
  }
  const laneX = (link: Link): number => {
    const lane = (lanes.get(link) ?? 0) + 1.5;
    const edge = sideEdge(link, states);
    return isBack(link) ? 2 * middle(link.from) - edge - lane * sizes.lane : edge + lane * sizes.lane;
  };
  const transitions = links.map((link): PlacedTransition => {
    const lay = isCommon(link) && link.to.state.type === 'final' ? descent : siding;
    const points = lanes.has(link) ? lay(link, laneX(link)) : straight(link);
    return { id: link.id, transitions: link.transitions, points, isCommon: isCommon(link) };
  });
  return { states, transitions };
};
