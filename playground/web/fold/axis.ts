import type { RunView, Span } from '../../fold/run-view.js';

/** A time axis without the pauses of a run: they are cuts of a fixed width. */
export interface Axis {
  /** From 0 at the start to 1 at the end. */
  readonly placeOf: (at: number) => number;
  readonly ticks: readonly { readonly place: number; readonly ms: number }[];
  readonly cuts: readonly { readonly place: number; readonly ms: number }[];
}

const cutWidth = 0.05;
const mostTicks = 5;

/** The axis of a run from its start to `end`, in epoch milliseconds. */
export const axisOf = ({ startedAt = 0, pauses }: RunView, end: number): Axis => {
  const inside = pauses.filter(({ from }) => from >= startedAt && from <= end);
  const total = Math.max(1, end - startedAt - sumOf(inside));
  const scale = 1 - inside.length * cutWidth;
  const placeOf = (at: number): number => {
    const past = inside.filter(({ from }) => from < at);
    const elapsed = at - startedAt - sumOf(past.map(({ from, to }) => ({ from, to: Math.min(to, at) })));
    const open = past.filter(({ to }) => to <= at).length;
    return Math.min(1, Math.max(0, (elapsed / total) * scale + open * cutWidth));
  };
  const step = stepOf(total);
  const ticks = Array.from({ length: Math.floor(total / step) + 1 }, (_, index) => index * step);
  return {
    placeOf,
    ticks: ticks.map((ms) => ({ ms, place: placeOf(wallTime(startedAt + ms, inside)) })),
    cuts: inside.map(({ from, to }) => ({ place: placeOf(from), ms: to - from })),
  };
};

const sumOf = (spans: readonly Span[]): number => spans.reduce((sum, { from, to }) => sum + to - from, 0);

/** The time of day after so much time without pauses. */
const wallTime = (at: number, pauses: readonly Span[]): number =>
  pauses.reduce((time, { from, to }) => (from < time ? time + to - from : time), at);

/** A round number of milliseconds: 1, 2 or 5 times a power of ten. */
const stepOf = (total: number): number => {
  const least = total / mostTicks;
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? total;
};
