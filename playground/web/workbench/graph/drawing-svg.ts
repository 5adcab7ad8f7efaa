import { arrowPath, trackPath, type Point } from '../../components/track-path.js';

/** A box of a picture, with its text. */
export interface SvgBox extends Point {
  readonly width: number;
  readonly height: number;
  readonly look: 'step' | 'state' | 'frame' | 'label';
  readonly title?: string;
  readonly note?: string;
}

/** A track of a picture. */
interface SvgTrack {
  readonly points: readonly Point[];
}

/** The content of a picture. */
export interface SvgDrawing {
  readonly title: string;
  readonly boxes: readonly SvgBox[];
  readonly tracks: readonly SvgTrack[];
}

const margin = 24;

/** The style of a standalone picture, with a dark variant if its viewer prefers one. */
const style = `
  .ground { fill: #fbfbf8 } .step, .state { fill: #fff; stroke: #81877f } .frame { fill: #f1f2ee; stroke: #81877f; stroke-dasharray: 4 3 }
  .track { fill: none; stroke: #81877f; stroke-width: 1.5 }
  text { fill: #1a201d; font: 600 13px ui-sans-serif, system-ui, sans-serif } .note { fill: #47504a; font-weight: 400; font-size: 11px }
  .on-edge { fill: #47504a; font-size: 11px; paint-order: stroke; stroke: #fbfbf8; stroke-width: 5px } .middle { text-anchor: middle }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #151b1e } .step, .state { fill: #1b2327 } .frame { fill: #0e1315 }
    text { fill: #e7ece9 } .note, .on-edge { fill: #b2bdb8 } .on-edge { stroke: #151b1e }
  }
`;

/** A drawing as a standalone SVG file. */
export const drawingSvg = ({ title, boxes, tracks }: SvgDrawing): string => {
  const points = [...tracks.flatMap((track) => track.points), ...boxes.flatMap(cornersOf)];
  const [left, top] = [Math.min(0, ...points.map(({ x }) => x)), Math.min(0, ...points.map(({ y }) => y))];
  const width = Math.max(0, ...points.map(({ x }) => x)) - left + 2 * margin;
  const height = Math.max(0, ...points.map(({ y }) => y)) - top + 2 * margin;
  const frames = boxes.filter(({ look }) => look === 'frame');
  const others = boxes.filter(({ look }) => look !== 'frame');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${left - margin} ${top - margin} ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escape(title)}</title>`,
    `<style>${style}</style>`,
    `<rect class="ground" x="${left - margin}" y="${top - margin}" width="${width}" height="${height}"/>`,
    ...frames.map(boxSvg),
    ...tracks.map(trackSvg),
    ...others.map(boxSvg),
    '</svg>',
    '',
  ].join('\n');
};

const cornersOf = ({ x, y, width, height }: SvgBox): Point[] => [
  { x, y },
  { x: x + width, y: y + height },
];

const trackSvg = ({ points }: SvgTrack): string => `<path class="track" d="${trackPath(points)}${arrowPath(points)}"/>`;

const boxSvg = (box: SvgBox): string => {
  const { x, y, width, height, look, title, note } = box;
  const middle = { x: x + width / 2, y: y + height / 2 };
  const rect = (radius: number): string =>
    `<rect class="${look}" x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}"/>`;
  const words = (text: string | undefined, at: Point, name: string): string =>
    text === undefined ? '' : `<text class="${name}" x="${at.x}" y="${at.y}">${escape(shorten(text, width - 24))}</text>`;
  switch (look) {
    case 'label':
      return words(title, { x: x + 12, y: middle.y + 4 }, 'note');
    case 'state':
      return rect(height / 2) + words(title, { x: middle.x, y: middle.y + 4 }, 'middle');
    case 'frame':
      return rect(6) + words(title, { x: x + 12, y: y + 4 }, 'on-edge');
    case 'step': {
      const first = { x: x + 12, y: middle.y + (note === undefined ? 4 : -3) };
      return rect(6) + words(title, first, 'title') + words(note, { x: x + 12, y: middle.y + 14 }, 'note');
    }
    default:
      return look satisfies never;
  }
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
