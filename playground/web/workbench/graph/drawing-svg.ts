import type { Box } from '../../components/lay-out.js';
import { trackPath, type Point } from '../../components/track-path.js';

/** The content of a picture. Frames come before the boxes in them. */
interface SvgDrawing {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly (Box & { readonly look: 'box' | 'frame' | 'label'; readonly title: string })[];
  readonly tracks: readonly (readonly Point[])[];
}

/** The style of a standalone picture, with a dark variant if its viewer prefers one. */
const style = `
  .ground { fill: #fbfbf8 } .box { fill: #fff; stroke: #81877f } .frame { fill: #f1f2ee; stroke: #81877f; stroke-dasharray: 4 3 }
  .label { fill: none } .track { fill: none; stroke: #81877f; stroke-width: 1.5 } text { fill: #1a201d; font: 600 13px ui-sans-serif, system-ui, sans-serif }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #151b1e } .box { fill: #1b2327 } .frame { fill: #0e1315 } text { fill: #e7ece9 }
  }
`;

/** A drawing as a standalone SVG file. */
export const drawingSvg = ({ title, width, height, boxes, tracks }: SvgDrawing): string => {
  const pathOf = (points: readonly Point[]): string => `<path class="track" d="${trackPath(points)}"/>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escape(title)}</title>`,
    `<style>${style}</style>`,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    ...boxes.filter(({ look }) => look === 'frame').map(boxSvg),
    ...tracks.map(pathOf),
    ...boxes.filter(({ look }) => look !== 'frame').map(boxSvg),
    '</svg>',
    '',
  ].join('\n');
};

/** A box with its name: of a frame at its top. */
const boxSvg = ({ x, y, width, height, look, title }: SvgDrawing['boxes'][number]): string => {
  const baseline = look === 'frame' ? y + 16 : y + height / 2 + 4;
  return (
    `<rect class="${look}" x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>` +
    `<text x="${x + 8}" y="${baseline}">${escape(shorten(title, width - 16))}</text>`
  );
};

/** Shortens text to a width, at the average width of the font's letters. */
const shorten = (words: string, width: number): string => {
  const fits = Math.max(4, Math.floor(width / 7));
  return words.length > fits ? `${words.slice(0, fits - 1)}…` : words;
};

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escape = (words: string): string =>
  words
    .replaceAll(/[&<>"']/g, (sign) => escapes[sign] ?? sign)
    // Control characters are not allowed in XML, not even escaped.
    .replaceAll(/\p{Cc}/gu, ' ');
