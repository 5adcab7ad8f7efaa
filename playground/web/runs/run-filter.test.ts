import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../protocol/runs.js';
import { matches, readFilter, withRun } from './run-filter.js';

const run = (runId: string, startedAt: number, more: Partial<RunSummary> = {}): RunSummary => ({
  runId,
  agentId: 'support',
  threadId: 't',
  status: 'success',
  startedAt,
  durationMs: 5,
  userText: 'Where is my parcel?',
  answered: 'On its way.',
  steps: 1,
  retries: 0,
  guards: ['quality'],
  entries: 9,
  ...more,
});

describe('readFilter', () => {
  it('reads valid parameters and ignores others', () => {
    expect(readFilter(new URLSearchParams('status=tripwire&text=&at=3&sort=size&within=1h'))).toEqual({
      status: 'tripwire',
      within: '1h',
    });
  });
});

describe('matches', () => {
  it.each([
    [{}, true],
    [{ status: 'success', agent: 'support', guard: 'quality', thread: 't' }, true],
    [{ text: 'PARCEL' }, true],
    [{ text: 'its way' }, true],
    [{ text: 'refund' }, false],
    [{ status: 'tripwire' }, false],
    [{ guard: 'leak' }, false],
    [{ agent: 'desk' }, false],
    [{ thread: 'other' }, false],
  ])('%o: %s', (filter, expected) => expect(matches(run('a', 1), filter)).toBe(expected));
});

describe('withRun', () => {
  const list = [run('c', 30), run('a', 10)];
  const ids = (runs: readonly RunSummary[]) => runs.map(({ runId }) => runId).join('');

  it('inserts a new run by its start time', () => {
    expect(ids(withRun(list, run('b', 20), {}))).toBe('cba');
    expect(ids(withRun(list, run('d', 40), {}))).toBe('dca');
    expect(ids(withRun(list, run('0', 1), {}))).toBe('ca0');
  });

  it('keeps the requested order when a run ends', () => {
    const long = [run('c', 30, { durationMs: 90 }), run('a', 10, { durationMs: 20 }), run('b', 20, { durationMs: undefined })];
    expect(ids(withRun(long, run('b', 20, { durationMs: 40 }), { sort: 'duration' }))).toBe('cba');
    expect(ids(withRun(long, run('d', 1, { durationMs: 100 }), { sort: 'duration' }))).toBe('dcab');
  });

  it('updates an existing run and removes one that no longer matches', () => {
    expect(withRun(list, run('a', 10, { status: 'tripwire' }), {})[1]?.status).toBe('tripwire');
    expect(ids(withRun(list, run('a', 10, { status: 'tripwire' }), { status: 'success' }))).toBe('c');
    expect(withRun(list, run('b', 20), { agent: 'desk' })).toBe(list);
  });
});
