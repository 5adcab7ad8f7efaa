import { describe, expect, it } from 'vitest';

import { memoryEngine } from '../../src/index.js';
import { drawFates, type Fate } from './fate.js';
import { judge } from './judge.js';
import { soak, type Soaked, type Window } from './soak.js';

it.each([undefined, memoryEngine()])('a sample of 50 concurrent runs leaks nothing (npm run soak runs all)', async (engine) => {
  const soaked = await soak({ runs: 200, atOnce: 50, seed: 1, window: 100, engine });
  expect(judge(soaked)).toEqual([]);
});

describe('the judge of a soak', () => {
  const windowsOf = (heapBytes: (runs: number) => number, more: Partial<Window> = {}): Window[] =>
    Array.from({ length: 20 }, (_, index) => (index + 1) * 5_000).map((runs) => ({
      runs,
      heapBytes: heapBytes(runs),
      timers: 0,
      listeners: 0,
      storedRuns: 0,
      seconds: 1,
      ...more,
    }));
  const statuses = { success: 1, tripwire: 1, failed: 1, canceled: 1 };
  const clean: Soaked = { statuses, complaints: [], unhandled: [], warnings: [], windows: windowsOf(() => 1e8) };

  it('accepts a heap that rises and falls', () => {
    expect(judge(clean)).toEqual([]);
    expect(judge({ ...clean, windows: windowsOf((runs) => 1e8 + (runs % 15_000) * 500) })).toEqual([]);
  });

  it('detects a heap that grows by the smallest possible leak of a run', () => {
    expect(judge({ ...clean, windows: windowsOf((runs) => 1e8 + runs * 70 + (runs % 15_000) * 50) })[0]).toContain(
      'the heap grows',
    );
  });

  const fate = drawFates(1, { runs: 1, seed: 1 })[0] as Fate; // exactly one was requested
  it.each<[Partial<Soaked>, string]>([
    [{ windows: windowsOf(() => 1e8, { listeners: 1 }) }, '1 listeners stay'],
    [{ windows: windowsOf(() => 1e8, { timers: 1 }) }, '1 timers stay'],
    [{ windows: windowsOf(() => 1e8, { storedRuns: 1 }) }, '1 durable runs stay'],
    [{ complaints: [{ complaint: 'did not end', fate }] }, 'did not end'],
    [{ unhandled: ['Error'] }, 'unhandled rejection: Error'],
    [{ warnings: ['MaxListenersExceededWarning'] }, 'MaxListenersExceededWarning'],
    [{ statuses: { ...statuses, canceled: 0 } }, 'no run ended as canceled'],
  ])('detects a defect: %j', (wrong, complaint) => {
    expect(judge({ ...clean, ...wrong })[0]).toContain(complaint);
  });
});
