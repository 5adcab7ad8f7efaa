import type { GraphShape } from '../../../protocol/catalog.js';
import type { Point } from '../../components/track-path.js';
import { shapeName } from './shape-nodes.js';

/** An element of the graph with its position. `path` identifies it; a block's `fork` and `join` share the block's path. */
export interface Box extends Point {
  readonly role: 'step' | 'frame' | 'fork' | 'join' | 'start' | 'end';
  readonly path: string;
  readonly width: number;
  readonly height: number;
  /** The drawn shape; undefined at the two ends. */
  readonly shape?: GraphShape;
}

/** A track between two boxes. */
export interface Track {
  readonly id: string;
  readonly points: readonly Point[];
  /** The condition of an arm; drawn at the second to last point. */
  readonly label?: string;
  /** The arm that the track leads to; undefined on tracks that every payload takes. */
  readonly arm?: string;
}

/** A graph with the positions of all elements. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly tracks: readonly Track[];
}

const sizes = {
  step: { width: 196, most: 340, perLetter: 8, pad: 36, height: 58 },
  dot: 14,
  gapX: 28,
  gapY: 34,
  label: 26,
  pad: 16,
  title: 28,
} as const;

/** A part of the drawing, measured from its own corner: payloads enter at the top and leave at the bottom, both at `spine`. */
interface Block {
  readonly width: number;
  readonly height: number;
  /** The x at which the track enters and leaves. */
  readonly spine: number;
  readonly boxes: readonly Box[];
  readonly tracks: readonly Track[];
}

/**
 * Positions everything in a pipeline: sequential elements downwards, parallel ones next to each other, and a frame around
 * each nested pipeline. A pipeline consists only of nested blocks, so that its nesting is its layout: no two tracks
 * cross, and arms stay in source order.
 */
export const layOut = (root: GraphShape): Drawing => {
  const body = stack(root.kind === 'sequence' ? root.nodes.map(blockOf) : [blockOf(root)], root.path);
  const dot = (role: 'start' | 'end', y: number): Box => ({ role, path: root.path, ...dotAt(body.spine, y) });
  const inset = move(body, 0, sizes.dot + sizes.gapY);
  const bottom = sizes.dot + sizes.gapY + body.height + sizes.gapY;
  const ends = [
    straight(`${root.path} in`, body.spine, [sizes.dot, sizes.dot + sizes.gapY]),
    straight(`${root.path} out`, body.spine, [bottom - sizes.gapY, bottom]),
  ];
  return {
    width: body.width,
    height: bottom + sizes.dot,
    boxes: [dot('start', 0), ...inset.boxes, dot('end', bottom)],
    tracks: [...ends, ...inset.tracks],
  };
};

const blockOf = (shape: GraphShape): Block => {
  switch (shape.kind) {
    case 'guard':
    case 'function':
    case 'map':
      return stepBlock(shape);
    case 'sequence':
      return frameBlock(shape);
    case 'parallel':
      return sideBySide(
        shape,
        shape.nodes.map((node) => ({ node })),
      );
    case 'branch':
      return sideBySide(
        shape,
        shape.arms.map(({ node, condition }) => ({ node, label: condition })),
      );
    default:
      return shape satisfies never;
  }
};

/** Wide enough for its name, up to a limit. */
const stepWidth = (shape: GraphShape): number => {
  const { width, most, perLetter, pad } = sizes.step;
  return Math.min(most, Math.max(width, shapeName(shape).length * perLetter + pad));
};

const stepBlock = (shape: GraphShape): Block => {
  const { height } = sizes.step;
  const width = stepWidth(shape);
  const box: Box = { role: 'step', path: shape.path, x: 0, y: 0, width, height, shape };
  return { width, height, spine: width / 2, boxes: [box], tracks: [] };
};

const frameBlock = (shape: Extract<GraphShape, { kind: 'sequence' }>): Block => {
  const body = stack(shape.nodes.map(blockOf), shape.path);
  const { pad, title } = sizes;
  const width = Math.max(body.width, sizes.step.width) + 2 * pad;
  const inside = move(body, (width - body.width) / 2, title + pad);
  const height = title + body.height + 2 * pad;
  const spine = inside.spine;
  const frame: Box = { role: 'frame', path: shape.path, x: 0, y: 0, width, height, shape };
  const leads = [
    straight(`${shape.path} in`, spine, [0, title + pad]),
    straight(`${shape.path} out`, spine, [height - pad, height]),
  ];
  return { width, height, spine, boxes: [frame, ...inside.boxes], tracks: [...leads, ...inside.tracks] };
};

/** Blocks one below the other, with aligned spines. */
const stack = (blocks: readonly Block[], path: string): Block => {
  const spine = Math.max(0, ...blocks.map((block) => block.spine));
  const right = Math.max(0, ...blocks.map((block) => block.width - block.spine));
  const boxes: Box[] = [];
  const tracks: Track[] = [];
  let y = 0;
  for (const [index, block] of blocks.entries()) {
    if (index > 0) {
      tracks.push(straight(`${path} ${index}`, spine, [y, y + sizes.gapY]));
      y += sizes.gapY;
    }
    const placed = move(block, spine - block.spine, y);
    boxes.push(...placed.boxes);
    tracks.push(...placed.tracks);
    y += block.height;
  }
  return { width: spine + right, height: y, spine, boxes, tracks };
};

interface Arm {
  readonly node: GraphShape;
  readonly label?: string;
}

/** Arms next to each other, between the dots where they fork and join. */
const sideBySide = (shape: GraphShape, arms: readonly Arm[]): Block => {
  const lead = sizes.gapY + (arms.some(({ label }) => label !== undefined) ? sizes.label : 0);
  const top = sizes.dot + lead;
  const boxes: Box[] = [];
  const tracks: Track[] = [];
  const blocks = arms.map(({ node }) => blockOf(node));
  const width = blocks.reduce((sum, block) => sum + block.width, Math.max(0, blocks.length - 1) * sizes.gapX);
  const tallest = Math.max(0, ...blocks.map((block) => block.height));
  const bottom = top + tallest + sizes.gapY;
  const spine = width / 2;
  let x = 0;
  for (const [index, block] of blocks.entries()) {
    const placed = move(block, x, top);
    const arm = arms[index];
    const id = `${shape.path} arm ${index}`;
    const forked = bend({ x: spine, y: sizes.dot }, { x: placed.spine, y: top }, sizes.dot + sizes.gapY / 2);
    if (arm?.label !== undefined) forked.splice(-1, 0, { x: placed.spine, y: top - sizes.label });
    const joined = bend({ x: placed.spine, y: top + block.height }, { x: spine, y: bottom }, bottom - sizes.gapY / 2);
    boxes.push(...placed.boxes);
    tracks.push(...placed.tracks, { id: `${id} in`, points: forked, label: arm?.label, arm: arm?.node.path });
    tracks.push({ id: `${id} out`, points: joined, arm: arm?.node.path });
    x += block.width + sizes.gapX;
  }
  const fork: Box = { role: 'fork', path: shape.path, ...dotAt(spine, 0), shape };
  const join: Box = { role: 'join', path: shape.path, ...dotAt(spine, bottom), shape };
  return { width, height: bottom + sizes.dot, spine, boxes: [fork, ...boxes, join], tracks };
};

const dotAt = (x: number, y: number): Point & { width: number; height: number } => ({
  x: x - sizes.dot / 2,
  y,
  width: sizes.dot,
  height: sizes.dot,
});

const straight = (id: string, x: number, [from, to]: readonly [number, number]): Track => ({
  id,
  points: [
    { x, y: from },
    { x, y: to },
  ],
});

/** Down to `turn`, across, and down again. */
const bend = (from: Point, to: Point, turn: number): Point[] =>
  from.x === to.x ? [from, to] : [from, { x: from.x, y: turn }, { x: to.x, y: turn }, to];

const move = (block: Block, dx: number, dy: number): Block => ({
  ...block,
  spine: block.spine + dx,
  boxes: block.boxes.map((box) => ({ ...box, x: box.x + dx, y: box.y + dy })),
  tracks: block.tracks.map((track) => ({ ...track, points: track.points.map(({ x, y }) => ({ x: x + dx, y: y + dy })) })),
});
