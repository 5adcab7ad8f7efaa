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

/** Positions the states of a machine and its tracks from left to right, by dagre. */
export const layOutMachine = (machine: Machine): MachineDrawing => {
  const { states } = machine;
  const links = linksOf(machine);
  const sources = (to: string): number => links.filter((link) => link.to === to).length;
  const graph = new graphlib.Graph({ compound: true }).setGraph({
    rankdir: 'LR',
    nodesep: 12,
    ranksep: 34,
    marginx: 8,
    marginy: 8,
  });
  const isFrame = (path: string): boolean => states.some(({ parent }) => parent === path);
  for (const state of states) graph.setNode(state.path, { width: stateName(state).length * 7.5 + 26, height: 26 });
  for (const { path, parent } of states) if (parent !== undefined) graph.setParent(path, parent);
  for (const { from, to } of links) graph.setEdge(from, to, { weight: sources(to) > fewSources ? 0 : 2 });
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    states: states
      .map((state): PlacedState => {
        const { x, y, width: w, height: h } = graph.node(state.path) as Point & { width: number; height: number };
        return { state, x: x - w / 2, y: y - h / 2, width: w, height: h, isFrame: isFrame(state.path) };
      })
      .toSorted((a, b) => Number(b.isFrame) - Number(a.isFrame)),
    transitions: links.map(({ from, to, transitions }): PlacedTransition => {
      const { points } = graph.edge(from, to) as { points: Point[] };
      return { id: `${from} ${to}`, transitions, points, isCommon: sources(to) > fewSources };
    }),
  };
};
