import { graphlib, layout } from '@dagrejs/dagre';
import type { Point } from './track-path.js';

/** A box of a drawing, by its upper left corner. */
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** A box before it has a place; one that contains others gets its size from them. */
export interface NewBox {
  readonly id: string;
  readonly parent?: string | undefined;
  readonly width: number;
  readonly height: number;
}

interface NewDrawing {
  readonly boxes: readonly NewBox[];
  readonly links: readonly { readonly from: string; readonly to: string; readonly weight?: number }[];
  readonly space: { readonly nodesep: number; readonly ranksep: number };
  /** Boxes that are above each other stay in the given order; otherwise in the one with the fewest crossings. */
  readonly keepsOrder?: boolean;
}

interface Drawing {
  readonly boxOf: (id: string) => Box;
  readonly trackOf: (from: string, to: string) => readonly Point[];
}

export const margin = 8;

/** Places boxes and their links from left to right, by dagre. */
export const layOut = ({ boxes, links, space, keepsOrder = false }: NewDrawing): Drawing => {
  const graph = new graphlib.Graph({ compound: true }).setGraph({ rankdir: 'LR', marginx: margin, marginy: margin, ...space });
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height });
  for (const { id, parent } of boxes) if (parent !== undefined) graph.setParent(id, parent);
  for (const { from, to, weight = 1 } of links) graph.setEdge(from, to, { weight });
  layout(graph, keepsOrder ? { customOrder: inOrderOf(boxes) } : {});
  return {
    boxOf: (id) => {
      const { x, y, width, height } = graph.node(id) as Box; // each box is a node
      return { x: x - width / 2, y: y - height / 2, width, height };
    },
    trackOf: (from, to) => (graph.edge(from, to) as { points: Point[] }).points, // each link is an edge
  };
};

/** A node while dagre orders them: a box, a side of a frame, or a turn of a link. */
interface Layered {
  readonly rank?: number;
  readonly borderType?: 'borderLeft' | 'borderRight';
  readonly edgeObj?: { readonly v: string; readonly w: string };
  order: number;
}

/** A graph of dagre while it is ordered. */
interface Layers {
  nodes(): string[];
  children(id: string): string[];
  parent(id: string): unknown;
  node(id: string): unknown;
}

/** Sorts each layer by the order of the boxes, frame by frame; a link is next to the box in its frame that it comes from or leads to. */
const inOrderOf = (boxes: readonly NewBox[]) => {
  const places = new Map(boxes.map(({ id }, place) => [id, place]));
  const frames = new Map(boxes.map(({ id, parent }) => [id, parent]));
  const wayTo = (id: string | undefined): string[] => (id === undefined ? [] : [...wayTo(frames.get(id)), id]);
  const lastIn = (frame: string): number => boxes.findLastIndex(({ id }) => wayTo(id).includes(frame));
  return <G extends Layers>(graph: G, minimize: (graph: G) => void): void => {
    minimize(graph);
    const keyOf = (id: string): number => {
      const { borderType, edgeObj } = graph.node(id) as Layered;
      const frame = String(graph.parent(id));
      if (borderType === 'borderRight') return lastIn(frame) + 0.5;
      if (borderType === 'borderLeft') return places.get(frame) ?? 0;
      const near = edgeObj && [...wayTo(edgeObj.v), ...wayTo(edgeObj.w)].find((box) => String(frames.get(box)) === frame);
      return near === undefined ? (places.get(id) ?? 0) : (places.get(near) ?? 0) - 0.5;
    };
    const leaves = graph.nodes().filter((id) => graph.children(id).length === 0);
    for (const layer of Map.groupBy(leaves, (id) => (graph.node(id) as Layered).rank).values())
      for (const [order, id] of layer.toSorted((a, b) => keyOf(a) - keyOf(b)).entries())
        (graph.node(id) as Layered).order = order;
  };
};
