import { expect, it } from 'vitest';
import type { Catalog } from '../../../protocol/catalog.js';
import { emptyRun } from '../../../fold/run-view.js';
import { findGoals, goalsOfCatalog, goalsOfRun } from './goals.js';

const catalog = {
  agents: [{ id: 'support', name: 'Support' }],
  pipelines: [
    {
      id: 'desk-input',
      graph: {
        kind: 'sequence',
        id: 'desk-input',
        path: 'desk-input',
        nodes: [{ kind: 'guard', id: 'pii', path: 'desk-input/pii', phases: ['input'] }],
      },
    },
  ],
} as unknown as Catalog; // only the fields that are read

it('finds pages, agents, pipelines and guards by all words', () => {
  const goals = goalsOfCatalog(catalog);
  const hrefs = (text: string): string[] => findGoals(goals, text).map(({ href }) => href);
  expect(hrefs('supp')).toEqual(['/?agent=support']);
  expect(hrefs('guard pii')).toEqual(['/pipelines/desk-input?guard=desk-input%2Fpii']);
  expect(hrefs('desk')).toEqual(['/pipelines/desk-input', '/pipelines/desk-input?guard=desk-input%2Fpii']);
  expect(hrefs('RUNS')[0]).toBe('/runs');
  expect(hrefs('')).toHaveLength(goals.length);
  expect(hrefs('no such thing')).toEqual([]);
});

it('links to the latest visit of a state', () => {
  const visits = [1, 5].map((seq) => ({ state: 'step.calling', seq, at: seq }));
  expect(goalsOfRun('a b', { ...emptyRun, visits })).toEqual([
    { kind: 'state', name: 'step.calling', note: 'this run', href: '/runs/a%20b?at=5' },
  ]);
});
