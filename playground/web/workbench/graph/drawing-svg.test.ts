import { expect, it } from 'vitest';
import { drawingSvg } from './drawing-svg.js';

it('escapes markup in names', () => {
  const svg = drawingSvg({
    title: '</title><script>',
    width: 200,
    height: 50,
    boxes: [{ x: 0, y: 0, width: 200, height: 50, look: 'box', title: `"><script>\u0000'&` }],
    tracks: [],
  });
  expect(svg).not.toContain('<script>');
  expect(svg).not.toContain('\u0000');
  expect(svg).toContain('&#39;&amp;');
});
