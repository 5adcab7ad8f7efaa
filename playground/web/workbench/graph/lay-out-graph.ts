import type { GraphShape } from '../../../protocol/catalog.js';
import { layOut, margin, type Box, type NewBox } from '../../components/lay-out.js';
import type { Point } from '../../components/track-path.js';
import { shapeName } from './shape-nodes.js';

/** A place of a pipeline, or the condition of a branch case. */
export interface PlacedShape extends Box {
  readonly id: string;
  /** Undefined for a condition. */
  readonly shape: GraphShape | undefined;
  readonly name: string;
  /** It contains others. */
  readonly isFrame: boolean;
}

interface GraphDrawing {
  readonly width: number;
  readonly height: number;
  /** Frames come before what they contain. */
  readonly places: readonly PlacedShape[];
  readonly tracks: readonly { readonly id: string; readonly points: readonly Point[] }[];
}

interface Draft extends NewBox {
  readonly shape: GraphShape | undefined;
  readonly name: string;
  /** The space above it for the titles of frames. */
  readonly above: number;
}

/** The boxes and tracks of a shape, and the boxes at its start and end. */
interface Part {
  readonly id: string;
  readonly boxes: readonly Draft[];
  readonly links: readonly Link[];
  readonly tracks: readonly Link[];
  readonly first: readonly string[];
  readonly last: readonly string[];
}

interface Link {
  readonly from: string;
  readonly to: string;
}

interface Around {
  readonly parent?: string;
  readonly above: number;
  /** The least width of a box. */
  readonly least: number;
}

const stepHeight = 32;
const titleHeight = 22;

/** At the average width of a letter; longer text is cut. */
const widthOf = (text: string, letter: number): number => Math.ceil(Math.min(32, text.length) * letter) + 12;

/** The whole pipeline, and the words next to the name of a step. */
interface Plan {
  readonly graph: GraphShape;
  readonly noteOf: (shape: GraphShape) => string;
}

/** Positions a pipeline from left to right: a sequence is a row, a group of parallel guards or branch cases a frame with a row for each. */
export const layOutGraph = (graph: GraphShape, noteOf: (shape: GraphShape) => string): GraphDrawing =>
  drawingOf(partOf({ graph, noteOf }, graph, { above: 0, least: 0 }));

const partOf = (plan: Plan, shape: GraphShape, around: Around): Part => {
  switch (shape.kind) {
    case 'guard':
    case 'function':
    case 'map': {
      const width = Math.max(around.least, ownWidth(plan, shape));
      return leaf({ ...around, id: shape.path, shape, name: shapeName(shape), width });
    }
    case 'sequence':
      return shape === plan.graph
        ? rowOf(plan, shape.nodes, around)
        : framed(shape, around, (inside) => rowOf(plan, shape.nodes, inside));
    case 'parallel':
      return framed(shape, around, (inside) => stacked(plan, shape.nodes, inside));
    case 'branch':
      return framed(shape, around, (inside) => stacked(plan, shape.arms, inside));
    default:
      return shape satisfies never;
  }
};

/** A group gets its width from what it contains. */
const ownWidth = ({ noteOf }: Plan, shape: GraphShape): number =>
  /^(guard|function|map)$/.test(shape.kind) ? widthOf(shapeName(shape), 8.4) + widthOf(noteOf(shape), 6.4) : 0;

/** Parts next to each other, each linked to the next. */
const chain = (parts: readonly Part[]): Part => {
  const all = joined(parts);
  const pairs = parts.slice(1).flatMap((next, index) => (parts[index] ? [{ before: parts[index], next }] : []));
  return {
    ...all,
    links: [
      ...all.links,
      ...pairs.flatMap(({ before, next }) => before.last.flatMap((from) => next.first.map((to) => ({ from, to })))),
    ],
    tracks: [...all.tracks, ...pairs.map(({ before, next }) => ({ from: before.id, to: next.id }))],
    first: parts[0]?.first ?? [],
    last: parts.at(-1)?.last ?? [],
  };
};

const rowOf = (plan: Plan, nodes: readonly GraphShape[], around: Around): Part =>
  chain(nodes.map((node) => partOf(plan, node, around)));

const framed = (shape: GraphShape, { parent, above, least }: Around, fill: (inside: Around) => Part): Part => {
  const name = shapeName(shape);
  const inside = fill({ parent: shape.path, above: above + titleHeight, least: Math.max(least, name.length * 7 + 70) });
  return {
    ...inside,
    id: shape.path,
    boxes: [{ id: shape.path, shape, name, parent, above, width: 0, height: 0 }, ...inside.boxes],
  };
};

interface Case {
  readonly condition: string;
  readonly node: GraphShape;
}

const stacked = (plan: Plan, rows: readonly (GraphShape | Case)[], inside: Around): Part => {
  const least = Math.max(inside.least, ...rows.map((one) => ownWidth(plan, 'node' in one ? one.node : one)));
  return joined(
    rows.map((one, index) => {
      const around = { ...inside, least, above: index === 0 ? inside.above : 0 };
      return 'node' in one ? caseOf(plan, one, around) : partOf(plan, one, around);
    }),
  );
};

const caseOf = (plan: Plan, { condition, node }: Case, around: Around): Part => {
  const id = `${node.path} when`;
  const when = leaf({ ...around, id, shape: undefined, name: condition, width: widthOf(condition, 7.4) });
  return chain([when, partOf(plan, node, around)]);
};

const leaf = ({ least: _, ...box }: Omit<Draft, 'height'> & Around): Part => {
  const end = [box.id];
  return { id: box.id, boxes: [{ ...box, height: stepHeight + box.above }], links: [], tracks: [], first: end, last: end };
};

const joined = (parts: readonly Part[]): Part => ({
  id: '',
  boxes: parts.flatMap(({ boxes }) => boxes),
  links: parts.flatMap(({ links }) => links),
  tracks: parts.flatMap(({ tracks }) => tracks),
  first: parts.flatMap(({ first }) => first),
  last: parts.flatMap(({ last }) => last),
});

const drawingOf = ({ boxes, links, tracks }: Part): GraphDrawing => {
  const { boxOf } = layOut({ boxes, links, space: { nodesep: 4, ranksep: 12 }, keepsOrder: true });
  const places = boxes.map(({ id, shape, name, width, above }): PlacedShape => {
    const box = boxOf(id);
    const isFrame = width === 0;
    return { id, shape, name, isFrame, ...box, ...(!isFrame && { y: box.y + above, height: stepHeight }) };
  });
  const byId = new Map(places.map((place) => [place.id, place]));
  return {
    width: Math.max(...places.map(({ x, width }) => x + width)) + margin,
    height: Math.max(...places.map(({ y, height }) => y + height)) + margin,
    places,
    tracks: tracks.flatMap(({ from, to }) => {
      const [one, next] = [byId.get(from), byId.get(to)];
      return one && next ? [{ id: `${from} ${to}`, points: trackBetween(one, next) }] : [];
    }),
  };
};

/** From the right of a box to the left of the next, at the height of the lower one if both have it. */
const trackBetween = (one: Box, next: Box): Point[] => {
  const [lower, higher] = one.height > next.height ? [next, one] : [one, next];
  const y = lower.y + lower.height / 2;
  const isLevel = y >= higher.y && y <= higher.y + higher.height;
  const heightAt = (box: Box): number => (isLevel ? y : box.y + box.height / 2);
  return [
    { x: one.x + one.width, y: heightAt(one) },
    { x: next.x, y: heightAt(next) },
  ];
};
