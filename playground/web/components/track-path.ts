/** A point of a drawing, in CSS pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

const distance = (a: Point, b: Point): number => Math.hypot(b.x - a.x, b.y - a.y);

/** The point on the way from `from` to `to`, `length` away from `from`. */
const along = (from: Point, to: Point, length: number): Point => {
  const whole = distance(from, to) || 1;
  return { x: from.x + ((to.x - from.x) * length) / whole, y: from.y + ((to.y - from.y) * length) / whole };
};

const format = ({ x, y }: Point): string => `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;

/** An SVG path through the points with rounded corners, like a railway track. */
export const trackPath = (points: readonly Point[], radius = 8): string => {
  const [first, ...rest] = points;
  if (!first) return '';
  const parts = [`M${format(first)}`];
  for (const [index, corner] of rest.entries()) {
    const before = points[index] ?? first;
    const after = rest[index + 1];
    if (!after) parts.push(`L${format(corner)}`);
    else {
      const bend = Math.min(radius, distance(before, corner) / 2, distance(corner, after) / 2);
      parts.push(`L${format(along(corner, before, bend))}Q${format(corner)} ${format(along(corner, after, bend))}`);
    }
  }
  return parts.join('');
};

/** The head of an arrow at the end of a track: an open chevron. */
export const arrowPath = (points: readonly Point[], size = 5): string => {
  const tip = points.at(-1);
  const before = points.at(-2);
  if (!tip || !before) return '';
  const back = along(tip, before, size);
  const across = { x: ((tip.y - back.y) * 3) / 4, y: ((back.x - tip.x) * 3) / 4 };
  return `M${format({ x: back.x + across.x, y: back.y + across.y })}L${format(tip)}L${format({ x: back.x - across.x, y: back.y - across.y })}`;
};
