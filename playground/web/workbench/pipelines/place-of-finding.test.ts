import { expect, it } from 'vitest';
import type { GraphShape } from '../../../protocol/catalog.js';
import { placeOfFinding } from './place-of-finding.js';

const guard = (id: string, path: string): GraphShape => ({ kind: 'guard', id, path, phases: [] });
const nodes = [guard('a', 'p/parallel.0/a'), guard('ab', 'p/parallel.0/ab')];
const graph: GraphShape = {
  kind: 'sequence',
  id: 'p',
  path: 'p',
  nodes: [{ kind: 'parallel', path: 'p/parallel.0', overlap: 'first', nodes }],
};

it.each([
  ['p', 'p'],
  ['p/parallel.0/ab', 'p/parallel.0/ab'],
  ['p/parallel.0/a/inner', 'p/parallel.0/a'],
  ['agent-output-processor/p/parallel.0', 'p/parallel.0'],
  ['agent-output-processor/p', 'p'],
  ['agent-output-processor', undefined],
  ['pp/parallel.0', undefined],
])('finds the graph position of %s', (path, place) => {
  expect(placeOfFinding(graph, path)).toBe(place);
});
