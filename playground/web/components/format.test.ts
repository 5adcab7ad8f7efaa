import { describe, expect, it } from 'vitest';
import { count, formatDuration, formatTime } from './format.js';

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [0.42, '0.4 ms'],
    [9.96, '10 ms'],
    [38.4, '38 ms'],
    [999.6, '1.0 s'],
    [59_949, '59.9 s'],
    [125_000, '2 min 5 s'],
  ])('formats %d as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
});

describe('formatTime', () => {
  const noon = new Date(2026, 10, 22, 12, 0, 1).getTime();

  it('omits the date of today', () => {
    expect(formatTime(noon, noon + 1000).length).toBeLessThan(formatTime(noon, noon + 86_400_000).length);
  });
});

describe('count', () => {
  it('uses the singular for one', () => {
    expect([count(0, 'guard'), count(1, 'guard'), count(2, 'retry', 'retries')]).toEqual(['0 guards', '1 guard', '2 retries']);
  });
});
