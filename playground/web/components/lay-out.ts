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
  layout(graph, keepsOrder ? { constraints: inOrder(boxes) } : {});
  return {
    boxOf: (id) => {
      const { x, y, width, height } = graph.node(id) as Box; // each box is a node
      return { x: x - width / 2, y: y - height / 2, width, height };
    },
    trackOf: (from, to) => (graph.edge(from, to) as { points: Point[] }).points, // each link is an edge
  };
};

/** Each box comes before the later ones in its frame. */
const inOrder = (boxes: readonly NewBox[]) =>
  boxes.flatMap(({ id: left, parent }, index) =>
    boxes.slice(index + 1).flatMap((later) => (later.parent === parent ? [{ left, right: later.id }] : [])),
  );
