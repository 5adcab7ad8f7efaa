import { expect, it } from 'vitest';
import { describeEntry, searchEntries } from './describe-entry.js';
import { line } from '../../fold/test-setup.js';

const lines = [
  line.state(0, 'step.calling'),
  line.came(1, 5),
  line.left(2, 'Hello'),
  line.event(3, { type: 'guard', phase: 'input', processorId: 'pii', verdict: 'edit', reason: undefined }),
];

it('describes an entry by its kind and fields', () => {
  expect(lines.map(describeEntry)).toEqual([
    { title: 'state-enter', detail: 'state: step.calling' },
    { title: 'model: text-delta', detail: '5 characters' },
    { title: 'emitted: text-delta', detail: 'Hello' },
    { title: 'guard', detail: 'phase: input, processorId: pii, verdict: edit' },
  ]);
});

it('finds entries with all words, in any case and order', () => {
  const found = (query: string) => searchEntries(lines, query).map(({ seq }) => seq);
  expect(found('')).toEqual([0, 1, 2, 3]);
  expect(found('EDIT pii')).toEqual([3]);
  expect(found('hello')).toEqual([2]);
  expect(found('hello pii')).toEqual([]);
});
