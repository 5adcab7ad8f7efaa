import { expect, it } from 'vitest';
import type { GuardMark } from '../../../fold/run-view.js';
import { placeMarks, strictestMarks, withoutVerdict } from './judged.js';

const guardAt = (id: string) => ({ kind: 'guard', id, processorId: id, path: `p/${id}`, phases: ['input'] });
const graph = { kind: 'sequence', id: 'p', nodes: ['a', 'b', 'c'].map(guardAt) } as never; // the server's form of a pipeline

const verdict = (id: string, kind: 'pass' | 'trip', seq: number): GuardMark => ({
  kind: 'verdict',
  seq,
  at: seq,
  from: seq,
  phase: 'input',
  path: `p/${id}`,
  processorId: id,
  verdict: kind,
  durationMs: 1,
  calls: 1,
  edits: 0,
  rejected: 0,
  reason: undefined,
  metadata: undefined,
});

it('marks a guard by its strictest verdict, or by whether a verdict follows', () => {
  const marks = [verdict('a', 'trip', 1), verdict('a', 'pass', 2)];
  const later = withoutVerdict('input', [...marks, verdict('b', 'pass', 3)]);
  const places = placeMarks({ phase: 'input', marks }, graph, later);
  expect([...places].map(([path, { label }]) => [path, label])).toEqual([
    ['p/a', 'blocked · 1 ms'],
    ['p/b', 'no verdict yet'],
    ['p/c', 'no verdict'],
  ]);
});

it('shows the check of a stream guard in progress and the buffered length', () => {
  const labelOf = (receivedChars: number, held: number) => {
    const parts = [{ receivedChars, text: 'x'.repeat(receivedChars - held), isWhole: false }];
    return withoutVerdict('outputStream', [], { parts, reason: undefined } as never)('p/a'); // the fields that count
  };
  expect([labelOf(0, 0), labelOf(120, 110), labelOf(120, 0)]).toEqual(['no verdict', 'checking, 110 buffered', 'checking']);
});

it('lists the strictest mark for each guard and phase, in the order of the last verdicts', () => {
  const marks = [
    verdict('a', 'trip', 1),
    verdict('b', 'pass', 2),
    verdict('a', 'pass', 3),
    { ...verdict('b', 'pass', 4), phase: 'x' },
  ];
  expect(strictestMarks(marks).map(({ seq }) => seq)).toEqual([2, 1, 4]);
});
