import { median } from '../case.js';
import { cpuMs } from '../measure.js';

/** What a run costs: the middle of the times until its end, and what its process computes on the average. */
export interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
}

type Act = () => Promise<unknown>;

const costOfOne = async (act: Act): Promise<Cost> => {
  const [from, cpuFrom] = [performance.now(), cpuMs()];
  await act();
  return { ms: performance.now() - from, cpuMs: cpuMs() - cpuFrom };
};

/** On a machine that has no time, what is slow is done less often. */
const enoughMs = 15_000;
const leastRuns = 5;

const rounds = async (acts: readonly Act[], runs: number, withinMs: number): Promise<Cost[][]> => {
  const from = performance.now();
  const found: Cost[][] = [];
  while (found.length < runs && (found.length < leastRuns || performance.now() - from < withinMs)) {
    const round: Cost[] = [];
    for (const act of acts) round.push(await costOfOne(act));
    found.push(round);
  }
  return found;
};

/** Runs some things in turn until they are warm, then up to so many times: what else the machine does falls on all of them alike. */
export const costsOf = async (acts: readonly Act[], runs: number): Promise<Cost[]> => {
  await rounds(acts, runs / 4, enoughMs / 4);
  const found = await rounds(acts, runs, enoughMs);
  return acts.map((_, index) => {
    const own = found.flatMap((round) => round[index] ?? []);
    return { ms: median(own.map(({ ms }) => ms)), cpuMs: own.reduce((sum, cost) => sum + cost.cpuMs, 0) / own.length };
  });
};
