import type { SvgBox, SvgDrawing } from './drawing-svg.js';
import { drawingSvg } from './drawing-svg.js';

const looks: readonly (readonly [selector: string, look: SvgBox['look']])[] = [
  ['.pg-frame', 'frame'],
  ['.pg-step', 'step'],
];

const textIn = (element: Element, selector: string): string | undefined =>
  element.querySelector(selector)?.textContent.trim() ?? undefined;

/** A drawn pipeline as an SVG file: the boxes as the browser placed them. */
export const pipelineSvg = (title: string, drawn: Element | null): string => {
  const origin = drawn?.querySelector('.pg-row')?.getBoundingClientRect() ?? { left: 0, top: 0 };
  const boxes = looks.flatMap(([selector, look]) =>
    [...(drawn?.querySelectorAll(selector) ?? [])].map((element): SvgBox => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const name = textIn(element, look === 'frame' ? '.pg-frame-title' : '.pg-id');
      return { x: left - origin.left, y: top - origin.top, width, height, look, ...(name !== undefined && { title: name }) };
    }),
  );
  return drawingSvg({ title, boxes, tracks: tracksOf(drawn, origin) });
};

/** A track between the neighbors of each row. */
const tracksOf = (drawn: Element | null, origin: { readonly left: number; readonly top: number }): SvgDrawing['tracks'] =>
  [...(drawn?.querySelectorAll('.pg-row') ?? [])].flatMap((row) =>
    [...row.children].slice(1).map((next, index) => {
      const [from, to] = [row.children[index]?.getBoundingClientRect(), next.getBoundingClientRect()];
      const y = to.top + to.height / 2 - origin.top;
      return {
        points: [
          { x: (from?.right ?? 0) - origin.left, y },
          { x: to.left - origin.left, y },
        ],
        hasArrow: true,
      };
    }),
  );
