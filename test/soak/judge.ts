import type { Soaked, Window } from './soak.js';

/** The maximum heap that a run may permanently leave, on average: less than the smallest object of a run. */
const mostBytesPerRun = 64;
/** Memory that varies independently of the runs, such as compiled code. */
const slackBytes = 1_500_000;
/** The number of faults of a kind that are printed in full. */
const maxListed = 5;

/** The faults after a soak; empty if there are none. */
export const judge = ({ complaints, unhandled, warnings, windows, statuses }: Soaked): string[] => [
  ...complaints.slice(0, maxListed).map(({ complaint, fate }) => `${complaint}: ${JSON.stringify(fate)}`),
  ...(complaints.length > maxListed ? [`${complaints.length - maxListed} more complaints`] : []),
  ...unhandled.slice(0, maxListed).map((reason) => `unhandled rejection: ${reason}`),
  ...warnings.slice(0, maxListed),
  ...['success', 'tripwire', 'failed', 'canceled']
    .filter((status) => !statuses[status])
    .map((status) => `no run ended as ${status}`),
  ...windows.flatMap(({ runs, listeners }) =>
    listeners > 0 ? [`${listeners} listeners stay on a signal after ${runs} runs`] : [],
  ),
  ...windows.flatMap(({ runs, storedRuns }) => (storedRuns > 0 ? [`${storedRuns} durable runs stay after ${runs} runs`] : [])),
  ...windows.flatMap(({ runs, timers }) => (timers > 0 ? [`${timers} timers stay after ${runs} runs`] : [])),
  ...heapFaults(windows),
];

/** The growth of the heap per run: the median over all pairs of windows, without the first, which warms up. */
const bytesPerRun = (windows: readonly Window[]): number => {
  const [, ...warm] = windows;
  const slopes = warm
    .flatMap((from, index) =>
      warm.slice(index + 1).map((to) => ((to.heapBytes ?? 0) - (from.heapBytes ?? 0)) / (to.runs - from.runs)),
    )
    .toSorted((a, b) => a - b);
  return slopes[Math.floor(slopes.length / 2)] ?? 0;
};

const heapFaults = (windows: readonly Window[]): string[] => {
  const slope = bytesPerRun(windows);
  const grown = slope * ((windows.at(-1)?.runs ?? 0) - (windows[1]?.runs ?? 0));
  return slope > mostBytesPerRun && grown > slackBytes ? [`the heap grows by ${slope.toFixed(0)} bytes with each run`] : [];
};
