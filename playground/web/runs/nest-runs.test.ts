import { expect, it } from 'vitest';
import type { RunSummary } from '../../protocol/runs.js';
import { nestRuns } from './nest-runs.js';

const run = (runId: string, startedAt: number, parent?: string) =>
  ({ runId, startedAt, ...(parent !== undefined && { parent: { runId: parent, toolCallId: 'c' } }) }) as RunSummary; // the fields that count

it('lists sub-runs below their parents, at any depth, and those without a listed parent on their own', () => {
  const runs = [
    run('clerk', 5, 'analyst'),
    run('late', 4, 'boss'),
    run('analyst', 3, 'boss'),
    run('boss', 2),
    run('lost', 1, 'gone'),
  ];
  expect(nestRuns(runs).map(({ run: { runId }, depth }) => [runId, depth])).toEqual([
    ['boss', 0],
    ['analyst', 1],
    ['clerk', 2],
    ['late', 1],
    ['lost', 0],
  ]);
});
