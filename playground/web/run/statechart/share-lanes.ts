/** A segment parallel to the line. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

const overlap = (a: Interval, b: Interval): boolean => a.from < b.to && b.from < a.to;

/** Assigns each stretch a lane, from 0, so that overlapping ones never share one; short ones are inside. */
export const shareLanes = (stretches: readonly Interval[]): number[] => {
  const length = ({ from, to }: Interval): number => to - from;
  const order = [...stretches.keys()].toSorted((a, b) => length(stretches[a] as Interval) - length(stretches[b] as Interval)); // its own keys
  const lanes: Interval[][] = [];
  const lane = stretches.map(() => 0);
  for (const index of order) {
    const interval = stretches[index] as Interval; // as above
    const free = lanes.findIndex((taken) => !taken.some((other) => overlap(other, interval)));
    const mine = free === -1 ? lanes.length : free;
    (lanes[mine] ??= []).push(interval);
    lane[index] = mine;
  }
  return lane;
};
