import type { Catalog } from '../../../protocol/catalog.js';
import { layOutMachine, stateName } from '../../run/statechart/lay-out-machine.js';
import { drawingSvg } from '../graph/drawing-svg.js';

/** The loop's statechart, as the page draws it, as an SVG file. Ways to where nearly every state leads are left out, as there. */
export const machineSvg = (machine: Catalog['machine']): string => {
  const { states, transitions } = layOutMachine(machine);
  return drawingSvg({
    title: 'Statechart of the loop',
    boxes: states.map(({ state, isFrame, x, y, width, height }) => ({
      x,
      y,
      width,
      height,
      look: isFrame ? 'frame' : 'state',
      title: stateName(state),
    })),
    tracks: transitions.filter(({ isCommon }) => !isCommon).map(({ points }) => ({ points, hasArrow: true })),
  });
};
