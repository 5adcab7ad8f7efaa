import type { HoldBack, HoldBackPoint } from '../../fold/hold-back.js';

/** The lines of a chart as SVG paths in a box of the given size; time goes right, characters up. */
export interface HoldBackDrawing {
  /** The arrived amount. */
  readonly received: string;
  /** The released amount. */
  readonly emitted: string;
  /** The buffered amount, between the two. */
  readonly held: string;
}

export interface ChartBox {
  readonly width: number;
  readonly height: number;
}

/** The maximum number of distinguishable points. */
const maxPoints = 400;

/** Every nth point, and the last. */
const thin = (points: readonly HoldBackPoint[]): readonly HoldBackPoint[] => {
  const every = Math.ceil(points.length / maxPoints);
  return every <= 1 ? points : points.filter((_, index) => index % every === 0 || index === points.length - 1);
};

/** The start and duration of a part; at least a millisecond, so that it can be drawn. */
export const spanOf = ({ points }: HoldBack): { readonly from: number; readonly ms: number } => {
  const from = points[0]?.at ?? 0;
  return { from, ms: Math.max(1, (points.at(-1)?.at ?? from) - from) };
};

/** Draws the arrived and released amounts of a part over time, in steps, because it arrives in pieces. */
export const drawHoldBack = (part: HoldBack, { width, height }: ChartBox): HoldBackDrawing => {
  const { from, ms } = spanOf(part);
  const most = Math.max(
    1,
    ...part.points.slice(-1).map(({ receivedChars, emittedChars }) => Math.max(receivedChars, emittedChars)),
  );
  const points = thin(part.points);
  const x = (at: number): string => (((at - from) / ms) * width).toFixed(1);
  const y = (chars: number): string => (height - (chars / most) * height).toFixed(1);
  const steps = (value: (point: HoldBackPoint) => number): string =>
    points.map((point) => `H${x(point.at)}V${y(value(point))}`).join('');
  const back = (value: (point: HoldBackPoint) => number): string =>
    points
      .toReversed()
      .map((point) => `V${y(value(point))}H${x(point.at)}`)
      .join('');
  const received = steps((point) => point.receivedChars);
  return {
    received: `M0 ${height}${received}`,
    emitted: `M0 ${height}${steps((point) => point.emittedChars)}`,
    held: `M0 ${height}${steps((point) => point.emittedChars + point.held)}${back((point) => point.emittedChars)}Z`,
  };
};
