import type { GraphShape, PhaseInfo } from '../../../protocol/catalog.js';
import { drawingSvg, type SvgBox } from './drawing-svg.js';
import { layOut, type Box } from './lay-out.js';
import { shapeName } from './shape-nodes.js';

/** A pipeline's graph as an SVG file, as on the page. */
export const pipelineSvg = (graph: GraphShape, phases: readonly PhaseInfo[]): string => {
  const { boxes, tracks } = layOut(graph);
  return drawingSvg({ title: shapeName(graph), boxes: boxes.map((box) => svgBox(box, phases)), tracks });
};

const svgBox = ({ role, shape, x, y, width, height }: Box, phases: readonly PhaseInfo[]): SvgBox => {
  const place = { x, y, width, height };
  if (role !== 'step' && role !== 'frame') return { ...place, look: 'dot' };
  return { ...place, look: role, ...(shape && { title: shapeName(shape), ...noteOf(shape, phases) }) };
};

const noteOf = (shape: GraphShape, phases: readonly PhaseInfo[]): { note?: string } => {
  if (shape.kind !== 'guard') return {};
  const covered = phases.filter(({ phase }) => shape.phases.includes(phase));
  return { note: covered.map(({ title }) => title).join(', ') };
};
