import { expect, it } from 'vitest';
import { drawingSvg } from './drawing-svg.js';

it('escapes markup in names', () => {
  const svg = drawingSvg({
    title: '</title><script>',
    boxes: [{ x: 0, y: 0, width: 200, height: 50, look: 'step', title: '"><script>\u0000', note: `'&` }],
    tracks: [],
  });
  expect(svg).not.toContain('<script>');
  expect(svg).not.toContain('\u0000');
  expect(svg).toContain('&#39;&amp;');
});

it('includes points left of its origin', () => {
  const svg = drawingSvg({
    title: 't',
    boxes: [],
    tracks: [
      {
        points: [
          { x: -100, y: 0 },
          { x: 0, y: 50 },
        ],
      },
    ],
  });
  expect(svg).toContain('viewBox="-124 -24 148 98"');
});
