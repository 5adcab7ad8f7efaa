/** A point of a drawing, in CSS pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

const format = ({ x, y }: Point): string => `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;

const headLength = 6;
const headAngle = 0.65;

/** An SVG path through the points, with the head of an arrow at its end: an open chevron. */
export const trackPath = (points: readonly Point[]): string => {
  const [before, tip] = points.slice(-2);
  if (!before || !tip) return '';
  const direction = Math.atan2(tip.y - before.y, tip.x - before.x);
  const [one, other] = [headAngle, -headAngle].map((turn) =>
    format({ x: tip.x - headLength * Math.cos(direction + turn), y: tip.y - headLength * Math.sin(direction + turn) }),
  );
  return `M${points.map(format).join('L')}M${one}L${format(tip)}L${other}`;
};
