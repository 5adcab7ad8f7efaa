import { expect, it } from 'vitest';
import { trackPath } from './track-path.js';

it('draws a line through all points, with the head of an arrow at the end', () => {
  expect(
    trackPath([
      { x: 0, y: 0 },
      { x: 0, y: 10 },
      { x: 40, y: 10 },
    ]),
  ).toBe('M0 0L0 10L40 10M35.2 6.4L40 10L35.2 13.6');
});

it('is empty without enough points', () => {
  expect(trackPath([])).toBe('');
  expect(trackPath([{ x: 1, y: 1 }])).toBe('');
});
