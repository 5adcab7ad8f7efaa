import { median } from '../case.js';
import { cpuMs } from '../measure.js';

/** The cost of a run: the median time until its end, and the mean CPU time of its process. */
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

/** On a busy machine, slow work is repeated less often. */
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

/**
 * Runs the acts in turn, up to `runs` times until the compiler has done its work, and again to measure them: disturbances of the machine
 * affect all of them alike. After a quarter as many rounds a step still cost half as much again.
 */
export const costsOf = async (acts: readonly Act[], runs: number): Promise<Cost[]> => {
  await rounds(acts, runs, enoughMs);
  const found = await rounds(acts, runs, enoughMs);
  return acts.map((_, index) => {
    const own = found.flatMap((round) => round[index] ?? []);
    return { ms: median(own.map(({ ms }) => ms)), cpuMs: own.reduce((sum, cost) => sum + cost.cpuMs, 0) / own.length };
  });
};
