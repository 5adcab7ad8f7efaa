import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GraphShape } from '../../../protocol/catalog.js';
import { layOutGraph, type PlacedShape } from './lay-out-graph.js';

const step = (path: string): GraphShape => ({ kind: 'map', id: path.slice(path.lastIndexOf('/') + 1), path });
const row = (path: string, ...nodes: GraphShape[]): GraphShape => ({ kind: 'sequence', id: path, path, nodes });
const group = (path: string, ...nodes: GraphShape[]): GraphShape => ({ kind: 'parallel', path, overlap: 'reject', nodes });

/** A group whose second branch is a row, a branch, and a group at the end. */
const graph = row(
  'p',
  step('p/first'),
  group('p/g', step('p/g/a'), row('p/g/b', step('p/g/b/one'), step('p/g/b/two')), step('p/g/c'), step('p/g/d')),
  {
    kind: 'branch',
    path: 'p/when',
    overlap: 'reject',
    arms: [
      { condition: 'isLong', node: step('p/when/long') },
      { condition: 'isShort', node: group('p/when/both', step('p/when/both/x'), step('p/when/both/y')) },
    ],
  },
  group('p/last', step('p/last/a'), step('p/last/b'), step('p/last/c')),
);

const drawing = layOutGraph(graph, () => '');
const at = (id: string): PlacedShape => {
  const place = drawing.places.find((one) => one.id === id);
  if (!place) throw new Error(`No place ${id}.`);
  return place;
};
const isInside = (inner: PlacedShape, outer: PlacedShape): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

describe('layOutGraph', () => {
  it('keeps the order of branches from top to bottom, and of a row from left to right', () => {
    for (const ids of [
      ['p/g/a', 'p/g/b', 'p/g/c', 'p/g/d'],
      ['p/when/long', 'p/when/both'],
      ['p/last/a', 'p/last/b', 'p/last/c'],
    ])
      expect(ids.map((id) => at(id).y)).toEqual(ids.map((id) => at(id).y).toSorted((a, b) => a - b));
    const places = ['p/first', 'p/g', 'p/when', 'p/last'].map(at);
    for (const [index, next] of places.slice(1).entries())
      expect(next.x).toBeGreaterThan((places[index]?.x ?? 0) + (places[index]?.width ?? 0));
  });

  it('puts each place into the frames of its path, below their titles, and apart from all others', () => {
    const isKin = (a: PlacedShape, b: PlacedShape): boolean =>
      a === b || b.id.startsWith(`${a.id}/`) || a.id.startsWith(`${b.id}/`);
    const overlaps = (a: PlacedShape, b: PlacedShape): boolean =>
      a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
    for (const outer of drawing.places.filter(({ isFrame }) => isFrame)) {
      const inner = drawing.places.filter(({ id }) => id.startsWith(`${outer.id}/`));
      expect(inner.filter((one) => !isInside(one, outer) || one.y < outer.y + 22)).toEqual([]);
    }
    const clashes = drawing.places.flatMap((a) =>
      drawing.places.filter((b) => !isKin(a, b) && overlaps(a, b)).map((b) => [a.id, b.id]),
    );
    expect(clashes).toEqual([]);
  });

  it('draws a track between neighbors, from the edge of one to the edge of the next', () => {
    expect(drawing.tracks.map(({ id }) => id)).toEqual([
      'p/g/b/one p/g/b/two',
      'p/when/long when p/when/long',
      'p/when/both when p/when/both',
      'p/first p/g',
      'p/g p/when',
      'p/when p/last',
    ]);
    for (const { id, points } of drawing.tracks) {
      const [from, to] = id.split(/ (?=p)/).map(at);
      const isOn = (box: PlacedShape | undefined, x: number | undefined, point = points[0]): boolean =>
        box !== undefined && point?.x === x && point !== undefined && point.y >= box.y && point.y <= box.y + box.height;
      expect(isOn(from, (from?.x ?? 0) + (from?.width ?? 0))).toBe(true);
      expect(isOn(to, to?.x, points.at(-1))).toBe(true);
    }
  });

  it('keeps the order of branches in any nested pipeline', () => {
    const kinds = ['map', 'row', 'group', 'branch'] as const;
    interface Tree {
      readonly kind: (typeof kinds)[number];
      readonly inside: readonly Tree[];
    }
    const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        fc.constant({ kind: 'map' as const, inside: [] }),
        fc.record({ kind: fc.constantFrom(...kinds.slice(1)), inside: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }) }),
      ),
    }));
    const shapeOf = ({ kind, inside }: Tree, path: string): GraphShape => {
      const nodes = inside.map((one, index) => shapeOf(one, `${path}/${index}`));
      if (kind === 'map') return step(path);
      if (kind === 'row') return row(path, ...nodes);
      return kind === 'group'
        ? group(path, ...nodes)
        : { kind, path, overlap: 'reject', arms: nodes.map((node, index) => ({ condition: `c${index}`, node })) };
    };
    const stacks = (shape: GraphShape): string[][] => {
      const nodes = 'nodes' in shape ? shape.nodes : 'arms' in shape ? shape.arms.map(({ node }) => node) : [];
      return [...(shape.kind === 'sequence' ? [] : [nodes.map(({ path }) => path)]), ...nodes.flatMap(stacks)];
    };
    fc.assert(
      fc.property(fc.array(tree, { minLength: 1, maxLength: 4 }), (inside) => {
        const drawn = shapeOf({ kind: 'row', inside }, 'p');
        const tops = new Map(layOutGraph(drawn, () => '').places.map(({ id, y }) => [id, y]));
        for (const paths of stacks(drawn)) {
          const ys = paths.map((path) => tops.get(path) ?? 0);
          expect(ys).toEqual(ys.toSorted((a, b) => a - b));
        }
      }),
      { numRuns: 20 },
    );
  });
});
