import { describe, expect, it } from 'vitest';
import { markersOf } from '../../fold/markers.js';
import { line } from '../../fold/test-setup.js';
import { placeOf, seqAfter, seqAt, ticksOf } from './ticks.js';

const lines = [0, 2, 4, 6, 8].map((seq) => line.came(seq, 1));

describe('the timeline', () => {
  it('spaces entries evenly', () => {
    expect([0, 2, 3, 8, 99].map((seq) => placeOf(lines, seq))).toEqual([0, 0.25, 0.25, 1, 1]);
    expect([-1, 0, 0.3, 1, 2].map((place) => seqAt(lines, place))).toEqual([0, 0, 2, 8, 8]);
  });

  it('steps from entry to entry and stops at the ends', () => {
    expect([1, -1, 3, 99, -99].map((steps) => seqAfter(lines, 4, steps))).toEqual([6, 2, 8, 8, 0]);
  });

  it('has a position for a run without entries', () => {
    expect([placeOf([], 3), seqAt([], 1), seqAfter([], 0, 1)]).toEqual([0, 0, 0]);
  });

  it('shows the most important of overlapping ticks', () => {
    const many = Array.from({ length: 4000 }, (_, seq) =>
      line.event(seq, { type: 'guard', processorId: 'g', phase: 'p', path: 'g', verdict: seq === 1000 ? 'trip' : 'edit' }),
    );
    const ticks = ticksOf(many, markersOf(many));
    expect(ticks.length).toBeLessThanOrEqual(401);
    expect(ticks.filter(({ kind }) => kind === 'trip').map(({ seq }) => seq)).toEqual([1000]);
  });
});
