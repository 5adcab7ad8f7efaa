/** A segment parallel to the line. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

const overlap = (a: Stretch, b: Stretch): boolean => a.from < b.to && b.from < a.to;

/** Assigns each stretch a lane, from 0, so that overlapping ones never share one; short ones are inside. */
export const shareLanes = (stretches: readonly Stretch[]): number[] => {
  const length = ({ from, to }: Stretch): number => to - from;
  const order = [...stretches.keys()].toSorted((a, b) => length(stretches[a] as Stretch) - length(stretches[b] as Stretch)); // its own keys
  const lanes: Stretch[][] = [];
  const lane = stretches.map(() => 0);
  for (const index of order) {
    const stretch = stretches[index] as Stretch; // as above
    const free = lanes.findIndex((taken) => !taken.some((other) => overlap(other, stretch)));
    const mine = free === -1 ? lanes.length : free;
    (lanes[mine] ??= []).push(stretch);
    lane[index] = mine;
  }
  return lane;
};
