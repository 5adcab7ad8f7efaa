import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { GraphShape } from '../../../protocol/catalog.js';
import { layOut, type Box, type Drawing } from './lay-out.js';

const guard = (path: string): GraphShape => ({ kind: 'guard', id: path.split('/').at(-1) ?? '', path, phases: ['input'] });

/** Random pipelines, with the paths that the library would give them. */
const shapes = (path: string, depth: number): fc.Arbitrary<GraphShape> => {
  const step = fc.integer({ min: 1, max: 60 }).map((length) => ({ ...guard(path), id: 'g'.repeat(length) }));
  if (depth === 0) return step;
  const inside = (count: number) => fc.tuple(...Array.from({ length: count }, (_, at) => shapes(`${path}/${at}`, depth - 1)));
  const nodes = fc.integer({ min: 1, max: 3 }).chain(inside);
  return fc.oneof(
    step,
    nodes.map((children): GraphShape => ({ kind: 'sequence', id: path, path, nodes: children })),
    nodes.map((children): GraphShape => ({ kind: 'parallel', path, overlap: 'first', nodes: children })),
    nodes.map((children): GraphShape => ({
      kind: 'branch',
      path,
      overlap: 'first',
      arms: children.map((node, at) => ({ condition: `when ${at}`, node })),
    })),
  );
};

/** The minimum distance between two boxes. */
const room = 12;

const meet = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width + room && b.x < a.x + a.width + room && a.y < b.y + b.height + room && b.y < a.y + a.height + room;

const isInside = (inner: Box, outer: Box): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

const solid = ({ boxes }: Drawing): Box[] => boxes.filter(({ role }) => role !== 'frame');
const frames = ({ boxes }: Drawing): Box[] => boxes.filter(({ role }) => role === 'frame');

const drawings = shapes('p', 3).map(layOut);

it('separates boxes and keeps everything on the sheet', () => {
  fc.assert(
    fc.property(drawings, (drawing) => {
      const boxes = solid(drawing);
      for (const [index, box] of boxes.entries())
        for (const other of boxes.slice(index + 1)) expect(meet(box, other), `${box.path} and ${other.path}`).toBe(false);
      const sheet: Box = { role: 'frame', path: '', x: 0, y: 0, width: drawing.width, height: drawing.height };
      for (const box of drawing.boxes) expect(isInside(box, sheet), box.path).toBe(true);
    }),
  );
});

it('draws exactly the content of a pipeline inside its frame', () => {
  fc.assert(
    fc.property(drawings, (drawing) => {
      for (const frame of frames(drawing))
        for (const box of solid(drawing)) expect(isInside(box, frame)).toBe(box.path.startsWith(`${frame.path}/`));
    }),
  );
});

it('ends each track at a box or at the end of another track', () => {
  fc.assert(
    fc.property(drawings, (drawing) => {
      const key = ({ x, y }: { x: number; y: number }) => `${x},${y}`;
      const ends = drawing.tracks.flatMap(({ points }) => [points[0], points.at(-1)]).filter((point) => point !== undefined);
      // A frame's tracks end anywhere on its edges, because its content may be asymmetrical.
      const touches = (box: Box, { x, y }: { x: number; y: number }) =>
        box.role === 'frame'
          ? x > box.x && x < box.x + box.width && [box.y, box.y + box.height].includes(y)
          : x === box.x + box.width / 2 && [box.y, box.y + box.height].includes(y);
      for (const end of ends) {
        const others = ends.filter((point) => point !== end && key(point) === key(end)).length;
        expect(drawing.boxes.some((box) => touches(box, end)) || others > 0, key(end)).toBe(true);
      }
    }),
  );
});

it('keeps branches in order, each under its condition', () => {
  const drawing = layOut({
    kind: 'sequence',
    id: 'p',
    path: 'p',
    nodes: [
      {
        kind: 'branch',
        path: 'p/branch.0',
        overlap: 'first',
        arms: ['money', 'otherwise'].map((condition) => ({ condition, node: guard(`p/branch.0/${condition}`) })),
      },
    ],
  });
  const steps = drawing.boxes.filter(({ role }) => role === 'step');
  expect(steps.toSorted((a, b) => a.x - b.x).map(({ path }) => path)).toEqual(['p/branch.0/money', 'p/branch.0/otherwise']);
  const labels = drawing.tracks.flatMap(({ label, arm, points }) =>
    label === undefined ? [] : [{ label, arm, x: points.at(-1)?.x }],
  );
  expect(labels).toEqual(steps.map((step) => ({ label: step.path.split('/')[2], arm: step.path, x: step.x + step.width / 2 })));
  expect(drawing.boxes.filter(({ role }) => role === 'fork' || role === 'join')).toHaveLength(2);
});

it('draws an empty pipeline as a start and an end', () => {
  const { boxes } = layOut({ kind: 'sequence', id: 'p', path: 'p', nodes: [] });
  expect(boxes.map(({ role }) => role)).toEqual(['start', 'end']);
});

it('widens the box of a long name, up to a limit', () => {
  const widthOf = (length: number) => layOut(guard(`p/${'g'.repeat(length)}`)).boxes.find(({ role }) => role === 'step')?.width;
  const [short, long, huge] = [widthOf(4), widthOf(33), widthOf(400)];
  expect([short, long]).toEqual([196, 300]);
  expect(huge).toBe(340);
});
