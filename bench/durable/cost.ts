/** What a run costs: the middle of the times until its end, and what its process computes on the average, background work included. */
export interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
  /** How often it ran in all, those before it was warm included. */
  readonly runs: number;
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** On a machine that has no time, what is slow is done less often. */
const enoughMs = 6_000;
const leastRuns = 5;

const timesOf = async (act: () => Promise<unknown>, runs: number, withinMs: number): Promise<number[]> => {
  const times: number[] = [];
  const from = performance.now();
  while (times.length < runs && (times.length < leastRuns || performance.now() - from < withinMs)) {
    const startedAt = performance.now();
    await act();
    times.push(performance.now() - startedAt);
  }
  return times;
};

/** Runs something until it is warm, then up to so many times, one after the other. */
export const costOf = async (act: () => Promise<unknown>, runs: number): Promise<Cost> => {
  const before = await timesOf(act, runs / 4, enoughMs / 4);
  const from = process.cpuUsage();
  const times = await timesOf(act, runs, enoughMs);
  const { user, system } = process.cpuUsage(from);
  return { ms: median(times), cpuMs: (user + system) / 1_000 / times.length, runs: before.length + times.length };
};
