/** A group of bars: one subject, with a bar for each number of guards. */
export interface ChartRow {
  readonly name: string;
  readonly us: readonly (number | undefined)[];
}

interface Legend {
  readonly title: string;
  /** What the bars of each group stand for, in order. */
  readonly series: readonly string[];
}

const [width, left, right, top, bar, gap] = [760, 150, 70, 70, 15, 14];
/** The axis has powers of ten: from a loop to a workflow there are three of them. */
const [low, high] = [0.1, 1_000];

const x = (us: number): number =>
  left + ((Math.log10(Math.max(us, low)) - Math.log10(low)) / (Math.log10(high) - Math.log10(low))) * (width - left - right);

const text = (at: { x: number; y: number; of?: 'end' | 'middle'; soft?: boolean }, said: string): string =>
  `<text x="${at.x.toFixed(1)}" y="${at.y.toFixed(1)}"${at.of ? ` text-anchor="${at.of}"` : ''}${at.soft ? ' class="soft"' : ''}>${said}</text>`;

const told = (us: number): string => (us < 10 ? us.toFixed(1) : us.toFixed(0));

/** Colours that hold on white and on black; the words take the colour that the reader's theme asks for. */
const style = `
  text { font: 13px system-ui, sans-serif; fill: #24292f; }
  .soft { fill: #57606a; font-size: 11px; }
  .line { stroke: #8c959f; stroke-opacity: 0.35; }
  .s0 { fill: #9ec5fe; } .s1 { fill: #5c9dff; } .s2 { fill: #2f6fdb; } .s3 { fill: #7a5af8; }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .soft { fill: #9da7b3; } }
`;

/** Draws bars over an axis of powers of ten. */
export const chartOf = (rows: readonly ChartRow[], { title, series }: Legend): string => {
  const parts: string[] = [];
  let y = top;
  for (const { name, us } of rows) {
    const known = us.flatMap((value, index) => (value === undefined ? [] : [{ value, index }]));
    parts.push(text({ x: left - 10, y: y + (known.length * bar) / 2 + 4, of: 'end' }, name));
    for (const { value, index } of known) {
      parts.push(
        `<rect class="s${index}" x="${left}" y="${y}" width="${(x(value) - left).toFixed(1)}" height="${bar - 2}" rx="2"/>`,
        text({ x: x(value) + 5, y: y + bar - 4, soft: true }, told(value)),
      );
      y += bar;
    }
    y += gap;
  }
  const axis = [0.1, 1, 10, 100, 1_000].map(
    (us) =>
      `<line class="line" x1="${x(us).toFixed(1)}" x2="${x(us).toFixed(1)}" y1="${top - 8}" y2="${y}"/>${text({ x: x(us), y: y + 16, of: 'middle', soft: true }, `${us} us`)}`,
  );
  const legend = series.map(
    (name, index) =>
      `<rect class="s${index}" x="${left + index * 110}" y="34" width="12" height="12" rx="2"/>${text({ x: left + 17 + index * 110, y: 45, soft: true }, name)}`,
  );
  const all = [text({ x: 10, y: 20 }, title), ...legend, ...axis, ...parts].join('\n');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + 30}" role="img" aria-label="${title}">\n<style>${style}</style>\n${all}\n</svg>\n`;
};
