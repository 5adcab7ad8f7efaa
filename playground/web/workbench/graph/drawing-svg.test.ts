import { expect, it } from 'vitest';
import type { GraphShape, PhaseInfo } from '../../../protocol/catalog.js';
import { drawingSvg } from './drawing-svg.js';
import { pipelineSvg } from './pipeline-svg.js';

const guard = (id: string): GraphShape => ({ kind: 'guard', id, path: `p/${id}`, phases: ['late'] });
const phases = [{ phase: 'late', title: 'Late & last' }] as PhaseInfo[];

it('contains every step with its phases and every condition', () => {
  const arms = [{ condition: 'a < b', node: guard('first') }];
  const nodes: GraphShape[] = [guard('second'), { kind: 'branch', path: 'p/branch.1', overlap: 'first', arms }];
  const svg = pipelineSvg({ kind: 'sequence', id: 'p', path: 'p', nodes }, phases);
  for (const words of ['>first<', '>second<', '>a &lt; b<', 'Late &amp; last', '<title>p</title>']) expect(svg).toContain(words);
  expect(svg.match(/class="step"/g)).toHaveLength(2);
  expect(svg.match(/class="dot"/g)).toHaveLength(4);
});

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
