import { describe, expect, it } from 'vitest';
import type { Fact, Tone } from '../../../fold/facts.js';
import { line } from '../../../fold/test-setup.js';
import { nextFact, placeOf, seqAfter, ticksOf } from './ticks.js';

const factAt = (seq: number, tone: Tone): Fact => ({
  seq,
  at: seq,
  kind: 'verdict',
  tone,
  name: 'g',
  word: '',
  note: undefined,
  times: 1,
});

const lines = [0, 2, 4, 6, 8].map((seq) => line.came(seq, 1));

describe('the timeline', () => {
  it('spaces entries evenly', () => {
    expect([0, 2, 3, 8, 99].map((seq) => placeOf(lines, seq))).toEqual([0, 0.25, 0.25, 1, 1]);
  });

  it('steps from entry to entry and stops at the ends', () => {
    expect([1, -1, 3, 99, -99].map((steps) => seqAfter(lines, 4, steps))).toEqual([6, 2, 8, 8, 0]);
  });

  it('has a position for a run without entries', () => {
    expect([placeOf([], 3), seqAfter([], 0, 1)]).toEqual([0, 0]);
  });

  it('shows the most important of overlapping ticks', () => {
    const many = Array.from({ length: 4000 }, (_, seq) => line.came(seq, 1));
    const ticks = ticksOf(
      many,
      many.map(({ seq }) => factAt(seq, seq === 1000 ? 'trip' : 'edit')),
    );
    expect(ticks.length).toBeLessThanOrEqual(401);
    expect(ticks.filter(({ fact }) => fact.tone === 'trip').map(({ fact }) => fact.seq)).toEqual([1000]);
  });

  it.each([
    [0, 4],
    [4, 9],
    [9, 4],
  ])('jumps from %d to the fact at %d', (seq, next) => {
    const facts = [factAt(4, 'retry'), factAt(6, 'trip'), factAt(9, 'retry')];
    expect(nextFact(facts, seq, 'retry')?.seq).toBe(next);
  });

  it('has nowhere to jump without such a fact', () => {
    expect(nextFact([factAt(4, 'edit')], 0, 'trip')).toBeUndefined();
  });
});
