import { describe, expect, it } from 'vitest';
import { arrowPath, trackPath } from './track-path.js';

describe('trackPath', () => {
  it('draws a straight line between two points', () => {
    expect(
      trackPath([
        { x: 0, y: 0 },
        { x: 0, y: 20 },
      ]),
    ).toBe('M0 0L0 20');
  });

  it('rounds a corner by at most half of the shorter side', () => {
    const path = trackPath([
      { x: 0, y: 0 },
      { x: 0, y: 10 },
      { x: 40, y: 10 },
    ]);
    expect(path).toBe('M0 0L0 5Q0 10 5 10L40 10');
  });

  it('is empty without enough points', () => {
    expect(trackPath([])).toBe('');
    expect(arrowPath([{ x: 1, y: 1 }])).toBe('');
  });
});

describe('arrowPath', () => {
  it('points at the end of the track', () => {
    const path = arrowPath(
      [
        { x: 0, y: 0 },
        { x: 0, y: 20 },
      ],
      4,
    );
    expect(path).toBe('M3 16L0 20L-3 16');
  });
});
