import { trackPath, type Point } from '../../components/track-path.js';

/** A box of a picture, and the words in it. */
export interface SvgBox extends Point {
  readonly width: number;
  readonly height: number;
  readonly look: 'step' | 'frame' | 'dot';
  readonly title?: string;
  readonly note?: string;
}

/** What a picture is made from. */
export interface SvgDrawing {
  readonly title: string;
  readonly boxes: readonly SvgBox[];
  readonly tracks: readonly { readonly points: readonly Point[]; readonly label?: string | undefined }[];
}

const margin = 24;

/** The look of a picture that stands alone: by day, and where its viewer prefers so by night. */
const style = `
  .ground { fill: #fbfbf8 } .step { fill: #fff; stroke: #81877f } .frame { fill: #f1f2ee; stroke: #81877f; stroke-dasharray: 4 3 }
  .dot { fill: #fbfbf8; stroke: #81877f; stroke-width: 2 } .track { fill: none; stroke: #81877f; stroke-width: 1.5 }
  text { fill: #1a201d; font: 600 13px ui-sans-serif, system-ui, sans-serif } .note { fill: #47504a; font-weight: 400; font-size: 11px }
  .label { fill: #47504a; font: 11px ui-monospace, monospace; text-anchor: middle; paint-order: stroke; stroke: #fbfbf8; stroke-width: 4px }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #151b1e } .step { fill: #1b2327 } .frame { fill: #0e1315 } .dot { fill: #151b1e }
    text { fill: #e7ece9 } .note, .label { fill: #b2bdb8 } .label { stroke: #151b1e }
  }
`;

/** A drawing as an SVG file that needs nothing else. */
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
    ...tracks.map((track) => `<path class="track" d="${trackPath(track.points)}"/>`),
    ...others.map(boxSvg),
    ...tracks.map(labelSvg),
    '</svg>',
    '',
  ].join('\n');
};

const cornersOf = ({ x, y, width, height }: SvgBox): Point[] => [
  { x, y },
  { x: x + width, y: y + height },
];

const boxSvg = ({ x, y, width, height, look, title, note }: SvgBox): string => {
  if (look === 'dot') return `<circle class="dot" cx="${x + width / 2}" cy="${y + height / 2}" r="${width / 2}"/>`;
  const rect = `<rect class="${look}" x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`;
  const line = (words: string | undefined, at: number, name: string): string =>
    words === undefined ? '' : `<text class="${name}" x="${x + 12}" y="${at}">${escape(shorten(words, width - 24))}</text>`;
  const middle = note === undefined ? y + height / 2 + 4 : y + height / 2 - 3;
  return look === 'frame'
    ? rect + line(title, y + 19, 'note')
    : rect + line(title, middle, 'title') + line(note, y + height / 2 + 14, 'note');
};

const labelSvg = ({ points, label }: SvgDrawing['tracks'][number]): string => {
  const place = points.at(-2) ?? points[0];
  return label === undefined || !place ? '' : `<text class="label" x="${place.x}" y="${place.y + 4}">${escape(label)}</text>`;
};

/** Words that fit, at the width that a letter of the font has on average. */
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
